import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigMap } from '@apiserver/api/core/v1';
import { systemClock } from '@apiserver/apimachinery/clock';
import { isForbidden } from '@apiserver/apimachinery/errors';
import { throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { inClusterConfig, RestClient, remoteResourceClient } from '@apiserver/rest-client';
import { expect, it } from 'vitest';
import { readCredentials } from '../harness/admin-client.ts';
import { startCoreServer } from './core-server.ts';

it('talks to the server of its cluster as the service account of its pod', async () => {
  await using core = await startCoreServer();
  const { admin, server } = core;
  await admin.json('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'sailor' } });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const path = '/api/v1/namespaces/default/serviceaccounts/sailor/token';
  const { status } = (await admin.json('POST', path, request)) as { status: { token: string } };
  const directory = join(core.folder, 'serviceaccount');
  mkdirSync(directory);
  core.write('serviceaccount/token', status.token);
  core.write('serviceaccount/ca.crt', readCredentials(server.kubeconfigPath ?? '').ca);
  const { hostname, port } = new URL(server.address);
  const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  const config = inClusterConfig({ environment, directory, logger: throwingLogger, now: Date.now });
  const client = new RestClient(config, { userAgent: 'sailor/1', clock: systemClock });
  const configMaps = remoteResourceClient<ConfigMap>(client, { group: '', version: 'v1', resource: 'configmaps' });
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const sent = await client.send({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: review,
  });
  expect(sent.value).toMatchObject({ status: { userInfo: { username: 'system:serviceaccount:default:sailor' } } });
  await expect(configMaps.get('kube-system', 'a')).rejects.toSatisfy(isForbidden);
});
