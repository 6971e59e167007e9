import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestIssuer, type TestIssuer } from '@apiserver/authentication/testing';
import { temporaryDirectory } from '../harness/api-server.ts';
import { type HostilePeers, MIB } from './hostile-case.ts';

/** The issuers of the server under attack. The keys of `large` and `slow` never come; those of `many` share a name. */
export const ISSUERS: Record<'good' | 'large' | 'slow' | 'many', TestIssuer | undefined> = {
  good: undefined,
  large: undefined,
  slow: undefined,
  many: undefined,
};

/** As many keys as an issuer may have, with dear signatures. */
function manyKeys(): object {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-521' });
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
  return { keys: Array(1_000).fill({ kty, crv, x, y, kid: 'k1' }) };
}

/** An expression whose cost grows with the square of a claim. */
const SQUARE = 'dyn(claims.l).exists(x, dyn(claims.l).exists(y, x + y == "never")) ? "a" : "b"';

/** As many rules as an issuer may have, whose costs grow with the square of the groups. */
const RULES = Array.from({ length: 64 }, (_, i) => ({
  expression: `user.groups.all(g, user.groups.exists(h, g == h)) || ${i} < 0`,
  message: 'no',
}));

/** Starts the issuers, and writes their configuration. */
export async function startHostileIssuers(): Promise<HostilePeers> {
  const resources = new AsyncDisposableStack();
  const folder = resources.use(temporaryDirectory('hostile-issuers'));
  const start = async (path: string) => resources.use(await startTestIssuer(path));
  const [good, large] = [await start('/good'), await start('/large')];
  const [slow, many] = [await start('/slow'), await start('/many')];
  Object.assign(ISSUERS, { good, large, slow, many });
  const chunk = Buffer.alloc(MIB, ' ');
  large.handlers.set('/large/keys', (_request, response) => {
    let left = 100;
    const write = () => {
      while (left-- > 0) if (!response.write(chunk)) return void response.once('drain', write);
      response.end();
    };
    write();
  });
  slow.handlers.set('/slow/keys', (_request, response) => {
    response.write('{"keys":[');
    const timer = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(timer));
  });
  many.handlers.set('/many/keys', (_request, response) => {
    response.setHeader('cache-control', 'max-age=3600').end(JSON.stringify(manyKeys()));
  });
  const jwt = [good, large, slow, many].map(({ url, authority }) => ({
    issuer: { url, audiences: ['client'], certificateAuthority: authority },
    claimMappings: {
      username: { expression: `has(claims.l) ? (${SQUARE}) : claims.sub` },
      groups: { expression: 'has(claims.g) ? dyn(claims.g) : []' },
    },
    userValidationRules: RULES,
  }));
  const file = join(folder.path, 'authentication.json');
  const kind = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration' };
  writeFileSync(file, JSON.stringify({ ...kind, jwt }));
  return {
    args: [`--authentication-config=${file}`],
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
