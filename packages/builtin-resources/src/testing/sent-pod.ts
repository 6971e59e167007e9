import { Buffer } from 'node:buffer';
import { Pod } from '@apiserver/api/core/v1';
import { compileKind } from '@apiserver/apimachinery/codec';
import { applyPodDefaults } from '../core/pod/defaults.js';
import { DEFAULT_POD_FEATURES } from '../core/pod-spec/pod-features.js';

const codec = compileKind(Pod);

/** A pod as validation sees it: decoded strictly, with defaults. It has one container, unless the spec has others. */
export function sentPod(spec: object, status: object, annotations: Readonly<Record<string, string>>): Pod {
  const metadata = { name: 'p', namespace: 'ns', uid: 'u', resourceVersion: '1', annotations };
  const containers = [{ name: 'c', image: 'i' }];
  const sent = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec }, status };
  const object = codec.decodeJson(Buffer.from(JSON.stringify(sent)), 'Strict').object as Pod;
  codec.applyDefaults(object);
  applyPodDefaults(object, DEFAULT_POD_FEATURES);
  return object;
}
