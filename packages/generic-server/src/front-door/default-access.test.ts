import { pathAttributes } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate, testAuthenticationExchange } from '@apiserver/authentication/testing';
import { expect, it } from 'vitest';
import { newGenericServerConfig } from '../config/generic-server-config.js';
import { newServerContext } from '../config/server-context.js';
import { defaultAuthentication, defaultAuthorizer } from './default-access.js';

it.each([
  ['/healthz', [], 'Allow'],
  ['/livez', [], 'Allow'],
  ['/readyz', [], 'Allow'],
  ['/healthz/ping', [], 'NoOpinion'],
  ['/metrics', [], 'NoOpinion'],
  ['/metrics', ['system:masters'], 'Allow'],
  ['/metrics', ['system:authenticated'], 'NoOpinion'],
])('allows %s to %j: %s', async (path, groups, decision) => {
  const answer = await defaultAuthorizer().authorize(pathAttributes({ name: 'a', groups, extra: {} }, 'get', path));
  expect(answer).toMatchObject({ decision });
});

it('knows clients of its authority, and others as anonymous', async () => {
  const authority = makeTestCertificate({ commonName: 'authority', authority: true });
  const { der } = makeTestCertificate({ commonName: 'alice', issuer: authority });
  const context = newServerContext({ logger: silentLogger });
  const config = newGenericServerConfig(context);
  const applied = await defaultAuthentication(authority.certificate).applyTo(config);
  expect([applied.clientCA?.contents, applied.requestHeader, applied.authorities]).toEqual([
    ...[[authority.certificate], undefined, [applied.clientCA]],
  ]);
  const names = [{ certificates: { chain: [der], memo: new Map() } }, {}].map(async (request) => {
    const { exchange } = testAuthenticationExchange(request);
    return (await config.authenticator?.authenticateRequest(exchange))?.user.name;
  });
  expect(await Promise.all(names)).toEqual(['alice', 'system:anonymous']);
  await context.disposables.disposeAsync();
});
