import type { Json, KubeObject } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { describe, expect, it } from 'vitest';
import { HorizontalPodAutoscaler } from './generated/autoscaling/v2.js';
import { Pod } from './generated/core/v1.js';
import { ResourceSlice } from './generated/resource/v1.js';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');
const asJson = (value: object): Json => JSON.parse(JSON.stringify(value));
const spec = (scaleUp: object) => ({ scaleTargetRef: { kind: 'k', name: 'n' }, maxReplicas: 1, behavior: { scaleUp } });

/** Upstream distinguishes a nil slice from an empty one only while the object is in memory. */
describe.each<[string, KindSchema, object, string]>([
  ['policies of an autoscaler', HorizontalPodAutoscaler, spec({ policies: [] }), '"scaleUp":{"policies":[]}'],
  [
    'groups of a pod',
    Pod,
    { securityContext: { supplementalGroups: [] } },
    '"securityContext":{"supplementalGroups":[]}',
  ],
  ['claims of a pod', Pod, { resources: { claims: [] } }, '"resources":{"claims":[]}'],
  [
    'values of a device attribute',
    ResourceSlice,
    { driver: '', pool: {}, devices: [{ name: '', attributes: { a: { ints: [] } } }] },
    '"a":{"ints":[]}',
  ],
])('empty %s', (_what, kind, sent, kept) => {
  const codec = compileKind(kind);
  const [group, version] = [kind.gvk.group, kind.gvk.version];
  const body = { apiVersion: group ? `${group}/${version}` : version, kind: kind.gvk.kind, metadata: {}, spec: sent };
  const decoded = (): KubeObject => codec.decodeJson(Buffer.from(JSON.stringify(body)), 'Strict').object;
  const withoutList = kept.replace(/:\{"[a-zA-Z]+":\[\]\}/, ':{}');

  it('are kept in every decoder', () => {
    expect(JSON.stringify(decoded())).toContain(kept);
    expect(JSON.stringify(codec.fromJson(asJson(body), 'Ignore').object)).toContain(kept);
    expect(JSON.stringify(codec.fromUnstructured(asJson(body), 'Ignore').object)).toContain(kept);
  });

  it('are omitted by every encoder, and read back as absent', () => {
    const again = (object: KubeObject | undefined) => JSON.stringify(object);
    expect(text(codec.encodeJson(decoded()))).toContain(withoutList);
    expect(again(codec.reread(decoded()))).toContain(withoutList);
    expect(again(codec.decodeProtobuf(codec.encodeProtobuf(decoded())).object)).toContain(withoutList);
  });
});
