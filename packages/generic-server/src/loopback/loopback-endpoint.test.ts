import { expect, it } from 'vitest';
import { LoopbackEndpoint } from './loopback-endpoint.js';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };

it('refuses calls until it is served, then passes on those of clients that were made before', async () => {
  const endpoint = new LoopbackEndpoint(() => 0);
  const client = endpoint.client.resource(CONFIG_MAPS);
  await expect(client.get('ns', 'a')).rejects.toThrow('the loopback endpoint is not served yet');
  endpoint.serve(({ request }) => ({ type: 'bytes', status: 418, body: Buffer.from(request.path) }));
  await expect(client.get('ns', 'a')).rejects.toThrow('/api/v1/namespaces/ns/configmaps/a');
});

it('has one server', () => {
  const endpoint = new LoopbackEndpoint(() => 0);
  const handler = () => ({ type: 'bytes' as const, status: 200, body: Buffer.alloc(0) });
  endpoint.serve(handler);
  expect(() => endpoint.serve(handler)).toThrow('the loopback endpoint is served already');
});
