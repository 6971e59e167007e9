import { Pod } from '@apiserver/api/core/v1';
import { compileKind } from '@apiserver/apimachinery/codec';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POD_FEATURES } from '../pod-spec/pod-features.js';
import { applyPodDefaults } from './defaults.js';

const codec = compileKind(Pod);

function pod(spec: object, status: object = {}): Pod {
  const sent = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec, status };
  const object = codec.decodeJson(Buffer.from(JSON.stringify(sent)), 'Strict').object as Pod;
  codec.applyDefaults(object);
  applyPodDefaults(object, DEFAULT_POD_FEATURES);
  return object;
}

const asking = (resources: object) => [{ name: 'c', image: 'i', resources }];
const PAGES = 'hugepages-2Mi';

describe('pod-level resources', () => {
  it.each<[string, object, object, object]>([
    ['without limits have no requests', {}, { requests: { cpu: '1' } }, {}],
    [
      'with limits request what the containers request',
      { limits: { cpu: '4' } },
      { requests: { cpu: '1' } },
      { limits: { cpu: '4' }, requests: { cpu: '1' } },
    ],
    [
      'limit the huge pages of the containers',
      { limits: { cpu: '1' } },
      { limits: { [PAGES]: '2Mi' }, requests: { [PAGES]: '2Mi' } },
      { limits: { cpu: '1', [PAGES]: '2Mi' }, requests: { cpu: '1', [PAGES]: '2Mi' } },
    ],
    [
      'limit no huge pages that the pod requests',
      { requests: { [PAGES]: '4Mi' } },
      { limits: { [PAGES]: '2Mi' }, requests: { [PAGES]: '2Mi' } },
      { requests: { [PAGES]: '4Mi' } },
    ],
    ['limit no huge pages if they are empty', {}, { limits: { [PAGES]: '2Mi' }, requests: { [PAGES]: '2Mi' } }, {}],
  ])('%s', (_what, resources, ofContainer, expected) => {
    expect(pod({ resources, containers: asking(ofContainer) }).spec.resources).toEqual(expected);
  });
});

it('rounds amounts up to thousandths', () => {
  const odd = { requests: { cpu: '1u' } };
  const template = { spec: { resources: odd } };
  const spec = {
    containers: asking(odd),
    resources: { limits: { cpu: '1' }, requests: { cpu: '1500u' } },
    volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: template } }],
  };
  const ofContainer = { name: 'c', resources: odd, allocatedResources: { cpu: '1u' } };
  const made = pod(spec, { containerStatuses: [ofContainer], resources: odd, allocatedResources: { cpu: '1u' } });
  const even = { requests: { cpu: '1m' } };
  expect(made).toMatchObject({
    spec: {
      resources: { requests: { cpu: '2m' } },
      volumes: [{ ephemeral: { volumeClaimTemplate: { spec: { resources: even } } } }],
    },
    status: {
      containerStatuses: [{ resources: even, allocatedResources: { cpu: '1m' } }],
      resources: even,
      allocatedResources: { cpu: '1m' },
    },
  });
});
