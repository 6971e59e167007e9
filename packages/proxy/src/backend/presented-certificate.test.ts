import type { X509Certificate } from 'node:crypto';
import { readPemBlocks } from '@apiserver/apimachinery/x509';
import { expect, it, vi } from 'vitest';
import { unknownAuthorityText } from './presented-certificate.js';

vi.mock(import('@apiserver/apimachinery/x509'), async (original) => {
  const actual = await original();
  return { ...actual, readPemBlocks: vi.fn(actual.readPemBlocks) };
});

/** A certificate of an unknown authority, with this many others above it. */
function withLinks(links: number): X509Certificate {
  return {
    issuer: 'CN=unknown',
    validFromDate: new Date(0),
    validToDate: new Date('2200-01-01T00:00:00Z'),
    issuerCertificate: links === 0 ? undefined : withLinks(links - 1),
  } as X509Certificate;
}

it('reads the authorities once for a chain of unknown certificates', () => {
  const presented = { certificate: withLinks(5), ca: 'PEM', host: 'server' };
  const error = Object.assign(new Error('refused'), { presented });
  expect(unknownAuthorityText(error)).toBe('certificate signed by unknown authority');
  expect(vi.mocked(readPemBlocks).mock.calls.length).toBe(1);
});
