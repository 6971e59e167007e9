import { makeTestCertificate } from '@apiserver/apimachinery/testing';
import { makeIssuerKey, type TestIssuer } from '@apiserver/authentication/testing';
import type { HostileCase } from '../../hostile-case.ts';
import { ISSUERS } from '../../hostile-issuers.ts';

const encoded = (text: string) => Buffer.from(text).toString('base64url');
const LONG = 90_000;

function good(): TestIssuer {
  if (ISSUERS.good === undefined) throw new TypeError('the issuers have not been started');
  return ISSUERS.good;
}

/** A request with a token, which is made when the issuers run. */
function shown(token: () => string): Pick<HostileCase, 'who' | 'request' | 'status'> {
  const request = () => ({ method: 'GET', path: '/version', headers: { authorization: `Bearer ${token()}` } });
  return { who: 'anonymous', request, status: 401 };
}

/** A token of the good issuer with claims as they are written, and no valid signature. */
function unsigned(claims: string, header = '{"alg":"ES256","kid":"k1"}'): Pick<HostileCase, 'who' | 'request'> {
  return shown(() => {
    const issuer = JSON.stringify(good().url);
    return `${encoded(header)}.${encoded(claims.replace('ISSUER', issuer))}.${encoded('x'.repeat(64))}`;
  });
}

const MEMBERS = Array.from({ length: LONG / 12 }, (_, i) => `"k${i}":1`).join();

/** Tokens of configured issuers that are wrong or dear. */
export const ISSUER_CASES: readonly HostileCase[] = [
  { name: 'a token of 700 KB', ...unsigned(`{"iss":ISSUER,"x":"${'x'.repeat(500_000)}"}`) },
  { name: 'thousands of dots', ...shown(() => `${good().token()}${'.'.repeat(300_000)}`) },
  { name: 'claims of many members', ...unsigned(`{"iss":ISSUER,${MEMBERS}}`) },
  { name: 'claims of deep lists', ...unsigned(`{"iss":ISSUER,"x":${'['.repeat(LONG / 2)}${']'.repeat(LONG / 2)}}`) },
  { name: 'claims of empty lists', ...unsigned(`{"iss":ISSUER,"x":[${'[],'.repeat(LONG / 3)}0]}`) },
  { name: 'alg none', ...shown(() => good().token({}, { header: { alg: 'none' } })) },
  { name: 'HS256 with the public key', ...shown(() => good().token({}, { header: { alg: 'HS256' } })) },
  { name: 'an unknown critical header', ...shown(() => good().token({}, { header: { crit: ['x'], x: 1 } })) },
  {
    name: 'many critical headers',
    ...unsigned('{"iss":ISSUER}', `{"alg":"ES256","crit":[${'"a",'.repeat(LONG / 4)}"b"]}`),
  },
  {
    name: 'certificates in the header',
    ...shown(() => {
      const certificate = Buffer.from(makeTestCertificate().der).toString('base64');
      return good().token({}, { header: { x5c: Array(Math.floor(LONG / certificate.length)).fill(certificate) } });
    }),
    isSigned: true,
    status: 200,
  },
  { name: 'a key that no issuer has', ...unsigned('{"iss":ISSUER}', '{"alg":"ES256","kid":"none"}') },
  { name: 'an issuer with 100 MB of keys', ...shown(() => ISSUERS.large?.token() ?? '') },
  {
    name: 'an issuer with 1,000 keys of one name',
    ...shown(() => ISSUERS.many?.token({}, { key: makeIssuerKey('k1', 'ES512') }) ?? ''),
  },
  {
    name: 'an issuer whose keys come slowly',
    ...shown(() => ISSUERS.slow?.token() ?? ''),
    // The other requests must not wait for it.
    attack: async (attacker) => {
      const headers = { authorization: `Bearer ${ISSUERS.slow?.token()}` };
      const waiting = attacker.send({ method: 'GET', path: '/version', headers }, 'anonymous');
      const authorization = `Bearer ${good().token()}`;
      const other = await attacker.send({ method: 'GET', path: '/version', headers: { authorization } }, 'anonymous');
      if (other.status !== 200) return other;
      return waiting;
    },
  },
  {
    name: 'an expression at the limit of its cost',
    ...shown(() => good().token({ l: Array.from({ length: 3_000 }, (_, i) => `text${i}`) })),
    isSigned: true,
  },
  {
    name: '64 expressions near the limit of their cost',
    ...shown(() => good().token({ g: Array.from({ length: 400 }, (_, i) => `group${i}`) })),
    isSigned: true,
    status: 200,
  },
];
