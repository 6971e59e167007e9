// Starts planes in this process and uses them as a test does, for what a build records.
import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { firstRequests, startsEnd } from './first-requests.mjs';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'dev' } };
const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a', namespace: 'dev' } };

/**
 * @param {typeof import('@apiserver/envtest')} envtest
 * @param {{ ready?: () => void, responded?: () => void }} moments the first response, and the last one
 */
export async function useFirstPlanes({ startControlPlane }, { ready, responded }) {
  await using plane = await startControlPlane();
  await (await plane.fetch('/api/v1/namespaces/default')).text();
  await startsEnd();
  ready?.();
  for (const request of firstRequests) await ask(plane, request);
  await askOverTls(plane);
  await using other = await startControlPlane({ crds: definition, objects: [namespace, widget] });
  await (await other.user('alice', { groups: ['dev'] }).fetch('/version')).text();
  await (await other.serviceAccount('dev', 'robot')).fetch('/version');
  const snapshot = other.snapshot();
  await ask(other, { method: 'DELETE', path: '/api/v1/namespaces/dev' });
  await other.restore(snapshot);
  await using fork = await other.fork();
  await ask(fork, { path: '/apis/example.com/v1/namespaces/dev/widgets/a' });
  await fork.stop();
  await plane.clock.advance('1m');
  responded?.();
}

/**
 * @param {import('@apiserver/envtest').ControlPlane} plane
 * @param {(typeof firstRequests)[number]} request
 */
async function ask({ fetch }, { method = 'GET', path, accept = 'application/json', type = 'application/json', body }) {
  const headers = { accept, ...(body && { 'content-type': type }) };
  await (await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).text();
}

/** @param {import('@apiserver/envtest').ControlPlane} plane */
async function askOverTls({ url, authority }) {
  const session = connect(url, { ca: authority });
  const stream = session.request({ ':path': '/version' });
  await text(stream);
  session.close();
}
