import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { systemClock } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import {
  type AuthenticationConfiguration,
  decodeAuthenticationConfiguration,
  ExpressionCompiler,
  IssuerSet,
  OidcMetrics,
  validateConfiguration,
} from '@apiserver/authentication/oidc';
import { makeIssuerKey, signTestToken, startTestIssuer, type TestIssuer } from '@apiserver/authentication/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modulesMissing } from '../envtest/go-tests.ts';
import { repositoryRoot, temporaryDirectory } from '../harness/api-server.ts';
import { configurations, disallowedIssuers, moreThanUpstream, type TokenCase, tokens } from './cases.ts';

const folder = join(repositoryRoot, 'test/oidc');
const missing = modulesMissing(folder);
/** A machine that has never compiled the modules takes a while. */
const compileDeadlineMs = 8 * 60_000;

interface Answer {
  readonly error?: string;
  readonly user?: { readonly name: string; readonly uid?: string; readonly groups: readonly string[] | null };
}

interface Answers {
  readonly configurations: readonly Answer[];
  readonly tokens: readonly Answer[];
}

const compiler = new ExpressionCompiler();
const context = { compiler, disallowedIssuers, egressSelector: true };
const key = makeIssuerKey('k');

function tokenOf({ claims, header = {} }: TokenCase): string {
  const seconds = Math.floor(Date.now() / 1000);
  const usual = { iss: 'https://issuer.example', aud: 'client', sub: 'alice', exp: seconds + 3600 };
  return signTestToken({ ...usual, ...(claims as object) }, key, header as Record<string, unknown>);
}

/** A program of its own has a scheme of its own. */
function withoutScheme({ error, ...answer }: Answer = {}): Answer {
  return { ...answer, ...(error !== undefined && { error: error.replace(/in scheme ".*"/, 'in scheme') }) };
}

function aboutConfiguration(file: string): Answer {
  try {
    const { errors } = validateConfiguration(decodeAuthenticationConfiguration(Buffer.from(file)), context);
    return errors.length === 0 ? {} : { error: aggregateFieldErrors(errors) };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

describe.skipIf(missing !== undefined)(
  `issuers beside upstream’s library${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    const resources = new AsyncDisposableStack();
    const signed = tokens.map(tokenOf);
    let upstream: Answers;
    let issuer: TestIssuer;

    beforeAll(async () => {
      const program = join(resources.use(temporaryDirectory('oidc')).path, 'upstream');
      const built = spawnSync('go', ['build', '-o', program, './upstream'], { cwd: folder, encoding: 'utf8' });
      expect([built.status, built.stderr]).toEqual([0, '']);
      const asked = tokens.map(({ configuration }, index) => ({ configuration, token: signed[index] }));
      const input = JSON.stringify({ configurations, disallowedIssuers, tokens: asked });
      // Go prints times in the machine's zone.
      const env = { ...process.env, TZ: 'UTC' };
      const { status, stdout, stderr } = spawnSync(program, { input, env, encoding: 'utf8', maxBuffer: 2 ** 28 });
      if (status !== 0) throw new Error(stderr);
      upstream = JSON.parse(stdout);
      issuer = resources.use(await startTestIssuer());
      issuer.keys = [key];
    }, compileDeadlineMs);
    afterAll(() => resources.disposeAsync());

    it.each(configurations.map((file, index) => [file, index] as const))('configuration %s', (file, index) => {
      expect(withoutScheme(aboutConfiguration(file))).toEqual(withoutScheme(upstream.configurations[index]));
    });

    /** The keys come from another place than the issuer's: the cases name one that does not exist. */
    async function aboutToken({ configuration }: TokenCase, token: string): Promise<Answer> {
      const decoded: AuthenticationConfiguration = decodeAuthenticationConfiguration(Buffer.from(configuration));
      const [jwt = {}] = decoded.jwt ?? [];
      const source = { ...jwt.issuer, discoveryURL: `${issuer.url}/discovery`, certificateAuthority: issuer.authority };
      const { issuers, errors } = validateConfiguration({ jwt: [{ ...jwt, issuer: source }] }, context);
      if (errors.length > 0) return { error: aggregateFieldErrors(errors).replace('jwt[0].', '') };
      issuer.handlers.set('/discovery', (_request, response) => {
        response.end(JSON.stringify({ issuer: source.url, jwks_uri: `${issuer.url}/keys` }));
      });
      const lifetime = new AbortController();
      const registry = new MetricsRegistry();
      const set = new IssuerSet(issuers, {
        algorithms: ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'],
        environment: {},
        clock: systemClock,
        logger: silentLogger,
        signal: lifetime.signal,
        metrics: new OidcMetrics(registry, { serverId: 's', now: Date.now, keySets: false }),
      });
      try {
        await set.start();
        const response = await set.authenticateToken(token);
        return response === undefined ? {} : { user: response.user };
      } catch (error) {
        return { error: messageOf(error) };
      } finally {
        lifetime.abort();
      }
    }

    it.each(tokens.map((one, index) => [JSON.stringify(one.claims), one.configuration, index] as const))(
      'claims %s of %s',
      async (_claims, file, index) => {
        const { user, error } = upstream.tokens[index] ?? {};
        const [known] = [...moreThanUpstream.keys()].filter((text) => file.includes(`:${JSON.stringify(text)}`));
        if (known !== undefined) {
          expect(error).toMatch(/^oidc: error evaluating group claim expression: /);
          expect((await aboutToken(tokens[index] as TokenCase, signed[index] ?? '')).user).toBeDefined();
          return;
        }
        const expected = {
          ...(user && {
            user: { ...user, groups: user.groups ?? [], extra: 'extra' in user ? (user.extra ?? {}) : {} },
          }),
          ...(error !== undefined && { error }),
        };
        expect(await aboutToken(tokens[index] as TokenCase, signed[index] ?? '')).toEqual(expected);
      },
    );
  },
);
