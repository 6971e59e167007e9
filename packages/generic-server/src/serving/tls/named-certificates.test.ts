import { makeTestCertificate } from '@apiserver/authentication/testing';
import { describe, expect, it } from 'vitest';
import { NamedCertificates } from './named-certificates.js';

const main = makeTestCertificate({ commonName: 'main', hosts: ['main.example.com'] }).certificate;
const pair = (label: string, names: readonly string[], hosts: string[] = [], commonName = 'Some Body') => ({
  certificate: makeTestCertificate({ commonName, hosts }).certificate,
  key: label,
  names,
});

/** The labels of the pairs that are chosen. */
function chosen(named: readonly ReturnType<typeof pair>[], ...requested: string[]): (string | undefined)[] {
  const certificates = new NamedCertificates(main, named);
  return requested.map((name) => certificates.forName(name)?.key);
}

describe('by the name', () => {
  it.each<[string, ReturnType<typeof pair>[], string, string | undefined]>([
    ['a name that was given', [pair('a', ['a.b'])], 'a.b', 'a'],
    ['another name', [pair('a', ['a.b'])], 'b.b', undefined],
    ['whatever its case', [pair('a', ['a.b'])], 'A.b', 'a'],
    ['a wildcard that was given', [pair('a', ['*.b'])], 'x.b', 'a'],
    ['a wildcard, one label deep', [pair('a', ['*.b'])], 'x.y.b', undefined],
    ['a wildcard, not for the domain itself', [pair('a', ['*.b.c'])], 'b.c', undefined],
    ['a name before a wildcard', [pair('w', ['*.b']), pair('a', ['a.b'])], 'a.b', 'a'],
    ['the first that was given a name', [pair('1', ['a.b']), pair('2', ['a.b'])], 'a.b', '1'],
    ['the name of the certificate', [pair('a', [], ['a.b'])], 'a.b', 'a'],
    ['the common name of the certificate', [pair('a', [], [], 'a.b')], 'a.b', 'a'],
    ['a wildcard of the certificate', [pair('a', [], ['*.a.b'])], 'x.a.b', 'a'],
    ['the first whose certificate has the name', [pair('1', [], ['a.b']), pair('2', [], ['a.b'])], 'a.b', '1'],
    ['a name that was given before one of a certificate', [pair('c', [], ['a.b']), pair('g', ['a.b'])], 'a.b', 'g'],
    ['a name of a certificate although others were given, when no other fits', [pair('a', ['x'], ['a.b'])], 'a.b', 'a'],
    ['a wildcard of a domain with one label', [pair('a', ['x'], ['*.b'])], 'c.b', 'a'],
    ['a name with an underscore by a wildcard', [pair('a', ['x'], ['*.a.b'])], 'x_y.a.b', 'a'],
    ['no part of a label by a wildcard', [pair('a', ['x'], ['f*.a.b'])], 'foo.a.b', undefined],
    ['no certificate without a name of its own', [pair('1', ['x']), pair('2', ['x'], ['a.b'])], 'a.b', undefined],
    ['the main certificate before such a one', [pair('a', ['x'], ['main.example.com'])], 'main.example.com', undefined],
  ])('%s', (_what, named, requested, label) => {
    expect(chosen(named, requested)).toEqual([label]);
  });
});

it('by the address, only where it was given', () => {
  const named = new NamedCertificates(main, [
    pair('a', ['192.0.2.1', '2001:db8::1']),
    pair('b', [], ['192.0.2.2'], '192.0.2.3'),
  ]);
  const addresses = ['192.0.2.1', '2001:db8::1', '192.0.2.2', '192.0.2.3'];
  expect(addresses.map((address) => named.forAddress(address)?.key)).toEqual(['a', 'a', undefined, undefined]);
});

it('rejects an invalid certificate', () => {
  expect(() => new NamedCertificates(main, [{ certificate: 'x', key: '', names: [] }])).toThrow();
});
