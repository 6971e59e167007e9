import { CONFIG_MAPS, type HostileCase, KIB } from '../hostile-case.ts';

const LONG = 400 * KIB;

/** A list that goes on at a token, which any client can make. */
function continuing(token: string): Pick<HostileCase, 'request'> {
  const encoded = Buffer.from(token).toString('base64url');
  return { request: () => ({ method: 'GET', path: `${CONFIG_MAPS}?limit=1&continue=${encoded}` }) };
}

const startingAt = (start: string) => continuing(JSON.stringify({ v: 'meta.k8s.io/v1', rv: -1, start }));
const atVersion = (version: string): Pick<HostileCase, 'request'> => ({
  request: () => ({ method: 'GET', path: `${CONFIG_MAPS}?resourceVersion=${version}` }),
});

/** Input that reaches storage before any other check: tokens, versions, and options of deletes. */
export const STORE_CASES: readonly HostileCase[] = [
  { name: 'a continue token of nested arrays', ...continuing('['.repeat(LONG)), status: 400 },
  { name: 'a continue token that climbs', ...startingAt('../'.repeat(LONG / 3)), status: 400 },
  { name: 'a continue token of segments', ...startingAt(`${'a/'.repeat(LONG / 2)}a`), status: 200 },
  { name: 'a continue token of digits', ...continuing(`{"v":"meta.k8s.io/v1","rv":${'9'.repeat(LONG)}}`), status: 400 },
  {
    name: 'a continue token of members',
    ...continuing(`{${Array.from({ length: LONG / 12 }, (_, i) => `"k${i}":1`).join()}}`),
    status: 400,
  },
  { name: 'a continue token that is none', ...continuing('\xff'.repeat(LONG / 2)), status: 400 },
  // Upstream repeats it twice.
  { name: 'a version of digits', ...atVersion('9'.repeat(LONG)), status: 400, maxResponse: 3 * LONG },
  { name: 'a version of quotes', ...atVersion('%22'.repeat(LONG / 3)), status: 400, maxResponse: 3 * LONG },
  {
    name: 'a delete that asks to pass over what cannot be read',
    request: (name) => ({
      method: 'DELETE',
      path: `${CONFIG_MAPS}/${name}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ignoreStoreReadErrorWithClusterBreakingPotential: true }),
    }),
    status: 404,
  },
];
