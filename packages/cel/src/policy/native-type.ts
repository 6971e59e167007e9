import { MadeObject } from '../values/made-object.js';
import { goTypeName, runtimeType } from '../values/runtime-type.js';
import { Duration, ListValue, MapValue, Timestamp, type Value } from '../values/value.js';
import { DynList, DynMap } from '../views/dyn-view.js';
import { NativeList, NativeMap } from './native-collections.js';

/** The type of patches. */
export const PATCH_TYPE = 'JSONPatch';

/** The Go type that a value of an expression wraps, of those that JSON has no form for. An object is a patch. */
export function nativeTypeName(value: Value): string {
  if (value === null) return 'structpb.NullValue';
  if (value instanceof Uint8Array) return '[]uint8';
  if (value instanceof Duration) return 'time.Duration';
  if (value instanceof Timestamp) return 'time.Time';
  if (value instanceof DynList || value instanceof NativeList) return '[]interface {}';
  if (value instanceof DynMap || value instanceof NativeMap) return 'map[string]interface {}';
  if (value instanceof ListValue) return value.holdsTexts ? '[]string' : '[]ref.Val';
  if (value instanceof MapValue) return 'map[ref.Val]ref.Val';
  if (value instanceof MadeObject) return '*mutation.JSONPatchVal';
  const { name } = runtimeType(value);
  if (name.startsWith(AUTHORIZATION)) return '*types.Err';
  return NATIVE_TYPES[name] ?? goTypeName(value);
}

/** The start of the names of all types of the authorizer, which wrap an error instead of a value. */
export const AUTHORIZATION = 'kubernetes.authorization.';

/** The Go types inside values of libraries. */
const NATIVE_TYPES: Readonly<Record<string, string>> = {
  'kubernetes.Quantity': '*resource.Quantity',
  'kubernetes.Semver': 'semver.Version',
  'kubernetes.URL': '*url.URL',
  'net.CIDR': 'netip.Prefix',
  'net.IP': 'netip.Addr',
};
