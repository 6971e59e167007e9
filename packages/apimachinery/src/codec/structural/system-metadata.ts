import { isParseError } from '../../text/parse-error.js';
import { parseTime } from '../../values/time.js';

type Members = { [key: string]: unknown };

/**
 * Drops system fields of an applied object that upstream does not read: its accessors take them for absent, and the
 * server then puts its own values there. Mutates.
 *
 * Upstream: GetCreationTimestamp and its like of k8s.io/apimachinery/pkg/apis/meta/v1/unstructured
 */
export function dropUnreadableSystemFields(metadata: Members): void {
  for (const name of ['creationTimestamp', 'deletionTimestamp']) {
    if (Object.hasOwn(metadata, name) && !isTime(metadata[name])) delete metadata[name];
  }
  const { generation } = metadata;
  if (typeof generation === 'number' && !Number.isSafeInteger(generation)) delete metadata['generation'];
}

function isTime(value: unknown): boolean {
  if (value === null) return true;
  try {
    return typeof value === 'string' && value !== '' && parseTime(value) !== null;
  } catch (error) {
    if (isParseError(error)) return false;
    throw error;
  }
}
