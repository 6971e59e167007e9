import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { NamedFlagSets } from '@apiserver/component-base/flags';
import {
  completeGenericServerConfig,
  newGenericServer,
  newGenericServerConfig,
  newServerContext,
} from '@apiserver/generic-server';
import { callHandler } from '@apiserver/generic-server/testing';
import { expect, it } from 'vitest';
import { MaintenanceOptions } from './maintenance-options.js';

/** A server that was started with a command line, for a user with the given groups. */
function serve(args: readonly string[], groups: readonly string[] = []) {
  const options = new MaintenanceOptions();
  const sets = new NamedFlagSets();
  options.addFlags(sets.section('generic'));
  sets.parse(args);
  expect(options.validate()).toEqual([]);
  const config = newGenericServerConfig(newServerContext({ logger: silentLogger }));
  config.authenticator = { authenticateRequest: () => ({ user: { name: 'alice', groups, extra: {} } }) };
  options.applyTo(config);
  return newGenericServer(completeGenericServerConfig(config), { name: 'test' }).prepareServer().handler;
}

const remove = { method: 'DELETE', url: '/api/v1/namespaces/blue' };
const message = '--maintenance-message=back at noon';

it.each([
  { what: 'refuses writes', args: [message], request: remove, status: 503 },
  { what: 'passes reads on', args: [message], request: { url: '/healthz' }, status: 200 },
  {
    what: 'passes writes of system:masters on',
    args: [message],
    groups: ['system:masters'],
    request: remove,
    status: 404,
  },
  { what: 'passes everything on without the flag', args: [], request: remove, status: 404 },
])('$what', async ({ args, groups = [], request, status }) => {
  expect(await callHandler(serve(args, groups), request)).toMatchObject({ status });
});

it('tells clients why, and counts', async () => {
  const handler = serve([message]);
  const { headers, body } = await callHandler(handler, remove);
  expect([headers['retry-after'], JSON.parse(body).message]).toEqual(['30', 'back at noon']);
  const { body: metrics } = await callHandler(handler, { url: '/metrics' });
  expect(metrics).toContain('maintenance_refused_requests_total{verb="delete"} 1');
});

it('rejects a long message', () => {
  const options = Object.assign(new MaintenanceOptions(), { message: 'x'.repeat(1025) });
  expect(options.validate().map((error) => error.message)).toEqual([
    '--maintenance-message must have at most 1024 characters',
  ]);
});
