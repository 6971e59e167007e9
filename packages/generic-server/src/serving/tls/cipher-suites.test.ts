import { describe, expect, it } from 'vitest';
import { insecureCipherSuites, openSslCiphers, preferredCipherSuites } from './cipher-suites.js';
import { openSslGroups } from './key-exchange-groups.js';

const tls13 = 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256';

describe('cipher suites', () => {
  it.each<[string, string[], string]>([
    [
      'in Go’s order, not in the one given',
      ['TLS_RSA_WITH_AES_256_CBC_SHA', 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'],
      `${tls13}:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-SHA:AES256-SHA`,
    ],
    ['all of TLS 1.3 whatever is chosen of it', ['TLS_AES_128_GCM_SHA256'], tls13],
    [
      'once for both names',
      ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256'],
      `${tls13}:ECDHE-RSA-CHACHA20-POLY1305`,
    ],
  ])('are %s', (_, names, ciphers) => {
    expect(openSslCiphers(names)).toBe(ciphers);
  });

  it('are by default those that have an AEAD first', () => {
    const ciphers = openSslCiphers([]).split(':');
    expect(ciphers.slice(3, 9).every((name) => /GCM|CHACHA/.test(name))).toBe(true);
    expect(ciphers.slice(9)).toEqual([
      'ECDHE-ECDSA-AES128-SHA',
      'ECDHE-RSA-AES128-SHA',
      'ECDHE-ECDSA-AES256-SHA',
      'ECDHE-RSA-AES256-SHA',
    ]);
  });

  it('are named in the order of the alphabet', () => {
    for (const names of [preferredCipherSuites(), insecureCipherSuites()]) expect(names).toEqual([...names].sort());
  });
});

describe('groups', () => {
  it('are in Go’s order, not in the one given', () => {
    expect(openSslGroups([24, 23, 29, 4588])).toBe('X25519MLKEM768:X25519:P-256:P-384');
    expect(openSslGroups([])).toBeUndefined();
  });

  it.each<[readonly number[], string]>([
    [[0], 'curve preference 0 is out of range (must be 1-65535)'],
    [[65_536], 'curve preference 65536 is out of range (must be 1-65535)'],
    [[29, 29], 'duplicate curve preference 29'],
    [[29, 30], 'curve preference 30 is not supported by the current Go version'],
  ])('%j are refused', (ids, message) => {
    expect(() => openSslGroups(ids)).toThrow(message);
  });
});
