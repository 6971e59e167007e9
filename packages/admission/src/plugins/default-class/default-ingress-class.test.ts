import type { Ingress } from '@apiserver/api/networking/v1';
import { expect, it } from 'vitest';
import { objectAttributes } from '../../testing/attributes.js';
import { testPluginDependencies } from '../../testing/plugin-dependencies.js';
import { runPlugin } from '../../testing/run-plugin.js';
import { defaultIngressClass } from './default-ingress-class.js';

const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
const ingressclasses = [
  { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata: { name: 'c', annotations } },
];

it.each([
  [{}, {}, 'c'],
  [{ ingressClassName: 'mine' }, {}, 'mine'],
  [{}, { 'kubernetes.io/ingress.class': 'mine' }, undefined],
])('an ingress with %j %j', async (spec, ofIngress, expected) => {
  const metadata = { name: 'i', namespace: 'ns', annotations: ofIngress };
  const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata, spec };
  const plugin = defaultIngressClass(testPluginDependencies({ ingressclasses }));
  const outcome = await runPlugin(plugin, objectAttributes('ingresses.networking.k8s.io', ingress));
  expect((outcome as { object: Ingress }).object.spec.ingressClassName).toBe(expected);
});
