import { ParseError } from '@apiserver/apimachinery/text';

/** IANA's numbers of key exchange groups, which Go uses, with OpenSSL's names, in Go's order of preference. */
const groups = [
  [4588, 'X25519MLKEM768'],
  [4587, 'SecP256r1MLKEM768'],
  [4589, 'SecP384r1MLKEM1024'],
  [29, 'X25519'],
  [23, 'P-256'],
  [24, 'P-384'],
  [25, 'P-521'],
] as const;

/**
 * OpenSSL's list for the groups of `--tls-curve-preferences`, in Go's order; undefined without groups. Throws a
 * ParseError with upstream's text for an unknown number.
 * Upstream: k8s.io/component-base/cli/flag.TLSCurvePreferences; defaultCurvePreferences in crypto/tls
 */
export function openSslGroups(ids: readonly number[]): string | undefined {
  for (const [index, id] of ids.entries()) {
    if (id <= 0 || id > 0xffff) throw new ParseError(`curve preference ${id} is out of range (must be 1-65535)`);
    if (ids.indexOf(id) < index) throw new ParseError(`duplicate curve preference ${id}`);
    if (!groups.some(([known]) => known === id)) {
      throw new ParseError(`curve preference ${id} is not supported by the current Go version`);
    }
  }
  const chosen = groups.flatMap(([id, name]) => (ids.includes(id) ? [name] : []));
  return chosen.length === 0 ? undefined : chosen.join(':');
}
