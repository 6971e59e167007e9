import type { CustomResourceColumnDefinition } from '@apiserver/api/apiextensions/v1';
import { isParseError, parseTime, stringifyJson } from '@apiserver/apimachinery';
import type { Column } from '@apiserver/apiserver-contracts';
import { humanDuration, nameColumn } from '@apiserver/builtin-resources';
import { findJsonPath } from '../json-path/find-json-path.js';
import type { Step } from '../json-path/json-path.js';
import { parseJsonPath } from '../json-path/parse-json-path.js';

/** Shown where a version declares no columns. */
const agePath = '.metadata.creationTimestamp';
const defaultColumn: Column = {
  name: 'Age',
  type: 'date',
  format: '',
  description: '',
  describedBy: { definition: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', field: 'creationTimestamp' },
  priority: 0,
  cell: cellOf('date', parseJsonPath(agePath)),
};

/**
 * The columns of a version of a custom resource. A path that does not parse leaves the name alone, as upstream.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor
 */
export function customColumns(declared: readonly CustomResourceColumnDefinition[] | undefined): readonly Column[] {
  if (declared === undefined || declared.length === 0) return [nameColumn, defaultColumn];
  const columns: Column[] = [nameColumn];
  for (const { name, type, format, description, priority, jsonPath } of declared) {
    const path = parsed(jsonPath);
    if (path === undefined) return columns;
    columns.push({
      name,
      type,
      format: format ?? '',
      description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      priority: priority ?? 0,
      cell: cellOf(type, path),
    });
  }
  return columns;
}

function parsed(jsonPath: string): readonly Step[] | undefined {
  try {
    return parseJsonPath(jsonPath);
  } catch (error) {
    if (isParseError(error)) return undefined;
    throw error;
  }
}

function cellOf(type: string, path: readonly Step[]): Column['cell'] {
  return (object, now) => {
    const [value] = findJsonPath(object, path);
    return value === undefined ? null : cellFor(type, value, now);
  };
}

/** A value as a column of the type shows it; null where it is none. Upstream: cellForJSONValue */
function cellFor(type: string, value: unknown, now: Date): unknown {
  switch (type) {
    case 'integer':
      return typeof value === 'bigint' ? value : typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'bigint' || typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'string':
      return textOf(value);
    case 'date':
      return typeof value === 'string' ? ageOf(value, now) : null;
    default:
      return null;
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? stringifyJson(value) : String(value ?? '<nil>');
}

function ageOf(text: string, now: Date): string {
  try {
    const time = parseTime(text);
    return time === null ? '<unknown>' : humanDuration(now.getTime() - Date.parse(time));
  } catch (error) {
    if (isParseError(error)) return '<invalid>';
    throw error;
  }
}
