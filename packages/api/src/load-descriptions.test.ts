import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { groupVersions } from './index.js';
import { builtFolder, loadDescriptions } from './load-descriptions.js';

interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
}

const file = new URL('../../../../shared/facts/openapi-v2-1.36.json', import.meta.url);
const document: {
  readonly definitions: Readonly<Record<string, Described>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
} = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { definitions: {}, parameters: {} };
const missing = existsSync(file) ? undefined : '../shared/facts is absent';
/** Definitions without a description in the source packages: unstable versions, and these. */
const unknown = [
  'io.k8s.apimachinery.pkg.api.resource.Quantity',
  'io.k8s.apimachinery.pkg.apis.meta.v1.GroupResource',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
];
const isStable = (definition: string) => !/\.v\d+(alpha|beta)\d+\.[^.]+$/.test(definition);

describe.skipIf(missing !== undefined || !existsSync(builtFolder() ?? ''))(
  `descriptions (skipped where they are not built${missing === undefined ? '' : `: ${missing}`})`,
  () => {
    it('of all stable versions, and of references, equal upstream’s', async () => {
      const describeField = await loadDescriptions(groupVersions);
      const different = Object.entries(document.definitions)
        .filter(([definition]) => isStable(definition))
        .flatMap(([definition, schema]) =>
          Object.entries({ '': schema, ...schema.properties })
            .filter(([, { description }]) => description !== undefined)
            .filter(([property, { description }]) => describeField(definition, property) !== description)
            .map(([property]) => (property === '' ? definition : `${definition} ${property}`)),
        );
      expect(different).toEqual(unknown);
    });

    it('of parameters equal upstream’s, except for blank lines', async () => {
      const describeField = await loadDescriptions(groupVersions);
      const options = ['Create', 'Update', 'Patch', 'List', 'Delete'].map(
        (verb) => `io.k8s.apimachinery.pkg.apis.meta.v1.${verb}Options`,
      );
      const connections = [
        'NodeProxy',
        'PodAttach',
        'PodExec',
        'PodLog',
        'PodPortForward',
        'PodProxy',
        'ServiceProxy',
      ].map((connection) => `io.k8s.api.core.v1.${connection}Options`);
      const words = (text = '') => text.split(/\s+/).join(' ');
      const different = Object.values(document.parameters)
        .filter((parameter) => parameter.in === 'query' || parameter.name === 'namespace')
        .filter(({ name, description }) =>
          [...options, ...connections].every((owner) => words(describeField(owner, name)) !== words(description)),
        )
        .map(({ name }) => name);
      expect(different).toEqual([]);
    });
  },
);
