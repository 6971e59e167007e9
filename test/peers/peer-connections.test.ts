import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { expect, it } from 'vitest';
import { PeerConnections } from '../../packages/aggregator/src/peers/peer-connections.ts';

const group = { metadata: { name: 'batch' }, versions: [{ version: 'v1', freshness: 'Current' }] };

it('reads discovery as this server, with its certificate, and an unchanged document only once', async () => {
  const authority = makeTestCertificate({ commonName: 'authority', authority: true });
  const peer = makeTestCertificate({ issuer: authority, hosts: ['kubernetes.default.svc'] });
  const client = makeTestCertificate({ commonName: 'front-proxy', issuer: authority });
  const asked: unknown[] = [];
  const options = { cert: peer.certificate, key: peer.key, ca: authority.certificate, requestCert: true };
  const server = createServer(options, (request, response) => {
    const { headers, url } = request;
    asked.push([url, headers['x-remote-user'], headers['x-remote-group'], headers['x-kubernetes-peer-proxied']]);
    expect(headers.accept).toContain('profile=nopeer');
    if (headers['if-none-match'] === '"1"') response.writeHead(304).end();
    else response.writeHead(200, { ETag: '"1"' }).end(JSON.stringify({ items: [group] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let trusted = authority.certificate;
  const connections = new PeerConnections({
    ca: () => trusted,
    certificate: () => ({ certificate: client.certificate, key: client.key }),
    logger: createTestLogger().logger,
  });
  const address = { hostname: '127.0.0.1', port };
  const first = await connections.discovery(address, '/apis');
  const known = first.document();
  const second = await connections.discovery(address, '/apis', known);
  trusted = makeTestCertificate({ commonName: 'other', authority: true }).certificate;
  await expect(connections.discovery(address, '/apis')).rejects.toThrow('certificate signed by unknown authority');
  server.closeAllConnections();
  server.close();
  expect([first.status, second.status]).toEqual([200, 304]);
  expect(known).toMatchObject({ path: '/apis', etag: '"1"', groups: [group] });
  expect(second.document()).toBe(known);
  expect(asked).toEqual(Array(2).fill(['/apis', 'system:apiserver', 'system:authenticated', 'true']));
});
