import { Buffer } from 'node:buffer';
import { makeTestCertificate } from '@apiserver/apimachinery/testing';
import { parseCertificate } from '@apiserver/apimachinery/x509';
import { expect, it } from 'vitest';
import { describeCertificate } from './describe-certificate.js';

const now = Date.parse('2026-06-01T12:00:00Z');

function described(names: string, critical = false): string {
  const extension = { type: '2.5.29.17', critical, value: Buffer.from(names, 'hex') };
  const { der } = makeTestCertificate({ commonName: 'root', authority: true, extensions: [extension] });
  return describeCertificate(parseCertificate(der), now);
}

it.each([
  ['names', '300982016187047f000001', false, ' validServingFor=[127.0.0.1,a]'],
  ['a critical name of another kind alone', '3004a4023000', true, ''],
  ['a name that is no ASCII', '30048202c3a4', false, ''],
])('describes a certificate with %s', (_, names, critical, shown) => {
  expect(described(names, critical)).toBe(
    `"root" []${shown} issuer="<self>" (2020-01-01 00:00:00 +0000 UTC to 2120-01-01 00:00:00 +0000 UTC (now=2026-06-01 12:00:00 +0000 UTC))`,
  );
});
