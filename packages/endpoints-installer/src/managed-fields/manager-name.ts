import { isPrintable } from '@apiserver/apimachinery/text';
import { byteLength } from '@apiserver/apimachinery/validation';

/** Maximum number of bytes in the name of a field manager. */
const MAX_BYTES = 128;

/** The manager if neither the request nor its User-Agent names one. */
const UNKNOWN_MANAGER = 'unknown';

/**
 * The manager of a write: the requested one, else the User-Agent up to the first slash, without unprintable characters
 * and truncated to 128 bytes.
 *
 * Upstream: managerOrUserAgent in k8s.io/apiserver/pkg/endpoints/handlers/create.go
 */
export function managerName(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager) return fieldManager;
  const [product = ''] = (userAgent ?? '').split('/', 1);
  let name = '';
  let bytes = 0;
  for (const character of product) {
    if (!isPrintable(character)) continue;
    bytes += byteLength(character);
    if (bytes > MAX_BYTES) break;
    name += character;
  }
  return name || UNKNOWN_MANAGER;
}
