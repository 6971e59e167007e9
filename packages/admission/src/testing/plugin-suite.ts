import type { AdmissionAttributes, AdmissionOperation } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import type { AdmissionPluginDefinition } from '../plugin-definition.js';
import { objectAttributes } from './attributes.js';
import { type TestObjects, type TestPluginParts, testPluginParts } from './plugin-parts.js';
import { runPlugin } from './run-plugin.js';

const OPERATIONS: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

/** Endpoints of all kinds: plugins must say the same of each whenever they are asked. */
const ENDPOINTS = [
  'pods',
  'pods/status',
  'pods/resize',
  'pods/ephemeralcontainers',
  'nodes',
  'namespaces',
  'services',
  'persistentvolumeclaims',
  'persistentvolumeclaims/status',
  'configmaps',
  'ingresses.networking.k8s.io',
  'priorityclasses.scheduling.k8s.io',
  'widgets.example.com',
].map((resource) => objectAttributes(resource, { apiVersion: 'v1', kind: 'Any', metadata: {} }).scope);

/** A request that the plugin lets through, and what is there when it comes. */
export interface AdmittedSample {
  readonly what: string;
  readonly attributes: AdmissionAttributes;
  readonly objects?: TestObjects;
  readonly parts?: Parameters<typeof testPluginParts>[1];
}

/** What every admission plugin must keep to. */
export function admissionPluginSuite(definition: AdmissionPluginDefinition, samples: readonly AdmittedSample[]): void {
  const { name } = definition;
  const create = (parts: TestPluginParts = testPluginParts()) => {
    if (definition.create === undefined) throw new Error(`${name} is not built`);
    return definition.create(parts);
  };

  describe(`${name} as an admission plugin`, () => {
    it('has its name, at least one phase, and reads nothing before a request', () => {
      const parts = testPluginParts();
      const plugin = create(parts);
      expect(plugin.name).toBe(name);
      expect(plugin.admit ?? plugin.validate).toBeInstanceOf(Function);
      expect(parts.calls).toEqual([]);
    });

    it('says the same of an endpoint whenever it is asked', () => {
      const plugin = create();
      const answers = () =>
        ENDPOINTS.map((endpoint) => OPERATIONS.map((operation) => plugin.handles(operation, endpoint)));
      expect(answers()).toEqual(answers());
    });

    it.each(samples)('$what: looks at it, lets it through, and changes nothing when it comes again', async (sample) => {
      const plugin = create(testPluginParts(structuredClone(sample.objects ?? {}), sample.parts));
      const { operation, scope, object } = sample.attributes;
      expect(plugin.handles(operation, scope)).toBe(true);
      const before = structuredClone(object);
      const once = await runPlugin(plugin, sample.attributes);
      expect(object).toEqual(before);
      if ('refused' in once) throw new Error(once.refused);
      expect(await runPlugin(plugin, { ...sample.attributes, object: once.object })).toEqual(once);
    });
  });
}
