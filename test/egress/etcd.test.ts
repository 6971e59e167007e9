import { findEtcd, NO_ETCD, startEtcd } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { egressFile, proxyTo } from './proxy-to.ts';

describe.skipIf(findEtcd() === undefined)(`an etcd of another network (${NO_ETCD})`, () => {
  it('keeps the objects of a server', { timeout: 120_000 }, async () => {
    using folder = temporaryDirectory('egress-etcd');
    await using etcd = await startEtcd();
    using proxy = await proxyTo(Number(new URL(etcd.url).port));
    await using server = await startApiServer({
      dataDirectory: folder.path,
      args: [
        '--etcd-servers=http://etcd.example:2379',
        `--egress-selector-config-file=${egressFile(folder.path, proxy, ['etcd'])}`,
      ],
    });
    using client = new AdminClient(server.kubeconfig);
    const namespaces = '/api/v1/namespaces';
    const { status } = await client.request('POST', namespaces, { metadata: { name: 'there' } });
    // Events need leases, which the etcd3 library would ask for on a connection of its own.
    const event = { metadata: { name: 'e' }, involvedObject: { namespace: 'default' }, reason: 'Test' };
    const { status: eventStatus } = await client.request('POST', `${namespaces}/default/events`, event);
    expect([status, eventStatus, new Set(proxy.asked)]).toEqual([201, 201, new Set(['etcd.example:2379'])]);
    expect((await client.request('GET', '/readyz')).body).toBe('ok');
    expect((await client.request('GET', '/metrics')).body).toMatch(
      /^apiserver_egress_dialer_dial_start_total\{protocol="http_connect",transport="tcp"\} [1-9]/m,
    );
  });
});
