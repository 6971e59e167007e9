import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { parseIPAddress } from '@apiserver/apimachinery/values';

/**
 * Refuses unspecified, loopback and link-local addresses, which endpoints and external IPs must not have.
 * Upstream: ValidateEndpointIP of pkg/apis/core/validation/validation.go
 */
export function validateEndpointIP(text: string, path: FieldPath): FieldError[] {
  const address = parseIPAddress(text);
  if (address === undefined) return [fieldInvalid(path, text, 'must be a valid IP address')];
  const { bytes } = address;
  const faults = bytes.length === 4 ? ipv4Faults(bytes, text) : ipv6Faults(bytes, text);
  return faults.map((fault) => fieldInvalid(path, text, fault));
}

const LOOPBACK = 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
const LINK_LOCAL = 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
const LINK_LOCAL_MULTICAST = 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';

function ipv4Faults([a = 0, b = 0, c = 0, d = 0]: readonly number[], text: string): string[] {
  if (a + b + c + d === 0) return [`may not be unspecified (${text})`];
  if (a === 127) return [LOOPBACK];
  if (a === 169 && b === 254) return [LINK_LOCAL];
  return a === 224 && b === 0 && c === 0 ? [LINK_LOCAL_MULTICAST] : [];
}

function ipv6Faults(bytes: readonly number[], text: string): string[] {
  const [first = 0, second = 0] = bytes;
  if (bytes.slice(0, 15).every((byte) => byte === 0)) {
    if (bytes[15] === 0) return [`may not be unspecified (${text})`];
    if (bytes[15] === 1) return [LOOPBACK];
  }
  if (first === 0xfe && (second & 0xc0) === 0x80) return [LINK_LOCAL];
  return first === 0xff && (second & 0x0f) === 0x02 ? [LINK_LOCAL_MULTICAST] : [];
}
