import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { introducedResources } from './introduced-resources.js';
import { type RuntimeConfig, resourceConfig } from './resource-config.js';

/** A resource with versions such as `v1:1.36`. */
function resource(name: string, ...versions: readonly string[]) {
  const definition = {
    group: 'g',
    resource: name,
    versions: versions.map((text) => {
      const [version, introduced] = text.split(':');
      return { version, schema: { ...(introduced && { lifecycle: { introduced } }) } };
    }),
  };
  return { definition };
}

const VERSIONS = ['v1', 'v1beta1', 'v1alpha1', 'v2alpha1'];
const group = {
  group: 'g',
  versions: VERSIONS,
  resources: [
    resource('olds', 'v1:1.9', 'v1beta1:1.8'),
    resource('bares', 'v1'),
    resource('grown', 'v1:1.36', 'v1beta1:1.34', 'v1alpha1:1.32'),
    resource('fresh', 'v1alpha1:1.36'),
  ],
} as unknown as APIGroupInfo;

const known = VERSIONS.map((version) => ({ group: 'g', version }));

/** The resources of a server that emulates 1.35. `flags` is a runtime config, and the forward compatibility that is on. */
function served(flags: string): readonly string[] {
  const words = flags.split(' ').filter((word) => word !== '');
  const entries = words
    .filter((word) => word.includes('='))
    .map((word): [string, string] => {
      const [key = '', value = ''] = word.split('=');
      return [key, value];
    });
  const runtimeConfig: RuntimeConfig = new Map(entries);
  const config = introducedResources(group, resourceConfig(runtimeConfig, { registered: known, built: known }), {
    minor: 35,
    forward: { emulation: words.includes('emulation'), runtimeConfig: words.includes('runtimeConfig') },
  });
  return group.resources.flatMap(({ definition: { resource } }) =>
    VERSIONS.filter((version) => config.isEnabled({ group: 'g', version, resource })).map(
      (version) => `${version}/${resource}`,
    ),
  );
}

const STABLE = ['v1/olds', 'v1/bares'];

it.each<[string, readonly string[]]>([
  ['', STABLE],
  ['g/v1beta1=true', ['v1/olds', 'v1beta1/olds', 'v1/bares', 'v1beta1/grown']],
  ['g/v1alpha1=true g/v1=false', ['v1alpha1/grown']],
  ['emulation', STABLE],
  ['g/v1beta1/grown=true', [...STABLE, 'v1beta1/grown']],
  ['g/v1beta1/grown=true emulation', [...STABLE, 'v1/grown', 'v1beta1/grown']],
  ['g/v1alpha1/grown=true emulation', [...STABLE, 'v1alpha1/grown']],
  ['g/v1beta1/grown=true g/v1=false emulation', ['v1/grown', 'v1beta1/grown']],
  ['g/v1/grown=true runtimeConfig', [...STABLE, 'v1/grown']],
  ['g/v1alpha1=true runtimeConfig', [...STABLE, 'v1alpha1/grown', 'v1alpha1/fresh']],
  ['runtimeConfig', STABLE],
  // The gates of an empty version's resources are off: nothing is introduced too late.
  ['g/v2alpha1=true', STABLE],
  ['g/v1alpha1=true g/v1alpha1/grown=false g/v1alpha1/fresh=false', STABLE],
])('with %j serves %j', (flags, expected) => expect(served(flags)).toEqual(expected));

it.each([
  [
    'g/v1/grown=true',
    'cannot enable resource g/v1, Resource=grown in runtime-config because it is introduced at 1.36 after the current version 1.35. Consider setting --runtime-config-emulation-forward-compatible=true',
  ],
  [
    'g/v1alpha1=true g/v1alpha1/grown=false',
    'cannot enable version g/v1alpha1 in runtime-config because all the resources have been introduced after the current version 1.35. Consider setting --runtime-config-emulation-forward-compatible=true',
  ],
])('refuses %s', (flags, message) => expect(() => served(flags)).toThrow(message));

it('leaves other groups alone', () => {
  const config = introducedResources(
    group,
    { isEnabled: ({ group: name }) => name === 'h', isNamed: () => false },
    { minor: 35, forward: { emulation: false, runtimeConfig: false } },
  );
  expect(config.isEnabled({ group: 'h', version: 'v1', resource: 'x' })).toBe(true);
});
