import type { ConnectEndpoint, Exchange, VerbContext } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it, vi } from 'vitest';
import { testFeatures, testGroupDependencies } from '../../testing/group-dependencies.js';
import { attachEndpoint, execEndpoint, portForwardEndpoint } from './command-endpoints.js';
import type { ConnectionOptions } from './connections.js';

/** Each way to a kubelet resolves with its name; every request asks for streams over WebSocket. */
vi.mock('@apiserver/proxy', () => ({
  asksForStreamClose: () => true,
  asksForTunnel: () => true,
  proxyRequest: async () => 'proxied',
  translateStreams: async () => 'translated',
  tunnelStreams: async () => 'tunnelled',
}));

const status = { addresses: [{ type: 'Hostname', address: 'h' }], declaredFeatures: [] as readonly string[] };

/** The way of a request to a kubelet, with these gates. An authorizer refuses `create`. */
async function wayOf(
  endpoint: (options: ConnectionOptions) => ConnectEndpoint<never>,
  gates: Readonly<Record<string, boolean>>,
  declaredFeatures: readonly string[] = [],
): Promise<unknown> {
  const { connections } = testGroupDependencies();
  const options = {
    ...connections,
    kubelet: { ...connections.kubelet, preferredAddressTypes: ['Hostname'] },
    objects: {
      ...connections.objects,
      pod: async () => ({ metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c' }] } }),
      node: async () => ({ status: { ...status, declaredFeatures } }),
    },
    authorizer: { authorize: () => ({ decision: 'NoOpinion', reason: 'no' }) },
    features: testFeatures({ AuthorizePodWebsocketUpgradeCreatePermission: false, ...gates }),
  } as unknown as ConnectionOptions;
  const requestInfo = { verb: 'get', apiGroup: '', resource: 'pods', name: 'p' };
  const exchange = { context: { requestInfo, user: { name: 'u' } }, request: {} } as unknown as Exchange;
  const context = { ...testContext({ namespace: 'ns' }), requestInfo } as unknown as VerbContext;
  return endpoint(options).connect(context, 'p', {} as never, exchange);
}

const streams = { exec: execEndpoint, attach: attachEndpoint };

it.each(Object.entries(streams))('%s is translated with TranslateStreamCloseWebsocketRequests', async (_, endpoint) => {
  const off = { TranslateStreamCloseWebsocketRequests: false };
  expect([await wayOf(endpoint, {}), await wayOf(endpoint, off)]).toEqual(['translated', 'proxied']);
});

it('ports are forwarded through tunnels with PortForwardWebsockets', async () => {
  const off = { PortForwardWebsockets: false };
  expect([await wayOf(portForwardEndpoint, {}), await wayOf(portForwardEndpoint, off)]).toEqual([
    'tunnelled',
    'proxied',
  ]);
});

it('a kubelet that declares it gets WebSockets with ExtendWebSocketsToKubelet', async () => {
  const name = 'ExtendWebSocketsToKubelet';
  const ways = [wayOf(execEndpoint, {}, [name]), wayOf(execEndpoint, { [name]: false }, [name])];
  expect(await Promise.all(ways)).toEqual(['proxied', 'translated']);
});

it.each(Object.entries({ ...streams, 'port-forward': portForwardEndpoint }))(
  '%s by GET needs to be allowed to create with AuthorizePodWebsocketUpgradeCreatePermission',
  async (_, endpoint) => {
    const on = { AuthorizePodWebsocketUpgradeCreatePermission: true };
    await expect(wayOf(endpoint, on)).rejects.toMatchObject({ status: { code: 403 } });
    expect(await wayOf(endpoint, {})).toMatch(/^t/);
  },
);
