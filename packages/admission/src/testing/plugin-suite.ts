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

type PartsChanges = Parameters<typeof testPluginParts>[1];

/** A request that the plugin lets through, and what is there when it comes. */
export interface AdmittedSample {
  readonly what: string;
  readonly attributes: AdmissionAttributes;
  readonly objects?: TestObjects;
}

/** What every admission plugin must keep to. `parts` is what it cannot be made without: a configuration, say. */
export function admissionPluginSuite(
  definition: AdmissionPluginDefinition,
  samples: readonly AdmittedSample[],
  parts: PartsChanges = {},
): void {
  const { name } = definition;
  const create = (made: TestPluginParts = testPluginParts({}, parts)) => {
    if (definition.create === undefined) throw new Error(`${name} is not built`);
    return definition.create(made);
  };

  describe(`${name} as an admission plugin`, () => {
    it('has its name, at least one phase, and reads nothing before a request', () => {
      const made = testPluginParts({}, parts);
      const plugin = create(made);
      expect(plugin.name).toBe(name);
      expect(plugin.admit ?? plugin.validate).toBeInstanceOf(Function);
      expect(made.calls).toEqual([]);
    });

    it('says the same of an endpoint whenever it is asked', () => {
      const plugin = create();
      const answers = () =>
        ENDPOINTS.map((endpoint) => OPERATIONS.map((operation) => plugin.handles(operation, endpoint)));
      expect(answers()).toEqual(answers());
    });

    it.each(samples)('$what: looks at it, lets it through, and changes nothing when it comes again', async (sample) => {
      const plugin = create(testPluginParts(structuredClone(sample.objects ?? {}), parts));
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
