import { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { Deployment } from '@apiserver/api/apps/v1';
import { ConfigMap, Event, Pod, Secret, Service } from '@apiserver/api/core/v1';
import { ResourceSlice } from '@apiserver/api/resource/v1';
import type { Json } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { isDecodeError } from '@apiserver/apimachinery/errors';
import { describe, expect, it } from 'vitest';

const kinds = { ConfigMap, CustomResourceDefinition, Deployment, Event, Pod, ResourceSlice, Secret, Service };
type KindName = keyof typeof kinds;

/** Decodes text and writes it back: the canonical form, or the error. */
function decode(
  kind: KindName,
  text: string,
  mode: 'Ignore' | 'Strict' = 'Strict',
): { json?: string; strict?: readonly string[]; error?: string } {
  const codec = compileKind<unknown>(kinds[kind]);
  try {
    const { object, strictErrors } = codec.decodeJson(Buffer.from(text, 'latin1'), mode);
    const json = Buffer.from(codec.encodeJson(object)).toString('utf8');
    return strictErrors.length === 0 ? { json } : { json, strict: strictErrors };
  } catch (error) {
    if (isDecodeError(error)) return { error: error.message };
    throw error;
  }
}

const meta = '"metadata":{}';

describe('canonical objects', () => {
  it.each<[string, KindName, string, string]>([
    ['the empty object', 'ConfigMap', '{}', `{${meta}}`],
    ['a pod without fields', 'Pod', '{"spec":{}}', `{${meta},"spec":{"containers":null},"status":{}}`],
    [
      'struct order, map order',
      'ConfigMap',
      '{"data":{"b":"1","a":"2"},"kind":"ConfigMap"}',
      `{"kind":"ConfigMap",${meta},"data":{"a":"2","b":"1"}}`,
    ],
    [
      'keys that are array indexes',
      'ConfigMap',
      '{"data":{"10":"a","9":"b",".x":"c"}}',
      `{${meta},"data":{".x":"c","10":"a","9":"b"}}`,
    ],
    [
      'keys beyond the basic plane',
      'ConfigMap',
      '{"data":{"\\ud83d\\ude00":"a","\\uffee":"b"}}',
      `{${meta},"data":{"\uffee":"b","\u{1f600}":"a"}}`,
    ],
    [
      'zero values drop where JSON omits them',
      'Pod',
      '{"spec":{"containers":[],"hostNetwork":false,"priority":0,"nodeName":""}}',
      `{${meta},"spec":{"containers":[],"priority":0},"status":{}}`,
    ],
    [
      'nulls',
      'Pod',
      '{"metadata":null,"spec":{"containers":null,"volumes":null,"priority":null}}',
      `{${meta},"spec":{"containers":null},"status":{}}`,
    ],
    [
      'null elements',
      'Pod',
      '{"spec":{"containers":[null]}}',
      `{${meta},"spec":{"containers":[{"name":"","resources":{}}]},"status":{}}`,
    ],
    ['null in a map', 'ConfigMap', '{"data":{"a":null}}', `{${meta},"data":{"a":""}}`],
    [
      'HTML escapes',
      'ConfigMap',
      '{"data":{"a":"<&>\\u2028\\u0000\\t\\u007f"}}',
      `{${meta},"data":{"a":"\\u003c\\u0026\\u003e\\u2028\\u0000\\t\u007f"}}`,
    ],
    [
      'lone surrogates',
      'ConfigMap',
      '{"data":{"a":"x\\ud800y\\udc00\\ud83d\\ude00"}}',
      `{${meta},"data":{"a":"x\ufffdy\ufffd\u{1f600}"}}`,
    ],
    [
      'bytes that are not UTF-8',
      'ConfigMap',
      '{"data":{"a":"\xe2\x82x\xff"}}',
      `{${meta},"data":{"a":"\ufffd\ufffdx\ufffd"}}`,
    ],
    [
      '__proto__ is data',
      'ConfigMap',
      '{"data":{"__proto__":"x","constructor":"y"}}',
      `{${meta},"data":{"__proto__":"x","constructor":"y"}}`,
    ],
    [
      'duplicate keys of structs merge',
      'Pod',
      '{"metadata":{"name":"a","namespace":"n"},"metadata":{"name":"b"}}',
      `{"metadata":{"name":"b","namespace":"n"},"spec":{"containers":null},"status":{}}`,
    ],
    [
      'duplicate lists shine through',
      'Pod',
      '{"spec":{"containers":[{"name":"a","image":"i"}],"containers":[{"name":"b"}]}}',
      `{${meta},"spec":{"containers":[{"name":"b","image":"i","resources":{}}]},"status":{}}`,
    ],
    [
      'big integers',
      'Pod',
      '{"metadata":{"generation":9007199254740993}}',
      `{"metadata":{"generation":9007199254740993},"spec":{"containers":null},"status":{}}`,
    ],
    [
      'quantities',
      'Pod',
      '{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1000m","memory":"1024Mi","x":2}}}]}}',
      `{${meta},"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1","memory":"1Gi","x":"2"}}}]},"status":{}}`,
    ],
    [
      'times',
      'Pod',
      '{"metadata":{"creationTimestamp":"2026-01-02T03:04:05.678+01:00","deletionTimestamp":null}}',
      `{"metadata":{"creationTimestamp":"2026-01-02T02:04:05Z"},"spec":{"containers":null},"status":{}}`,
    ],
    [
      'times by value show null',
      'Event',
      '{}',
      '{"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""}',
    ],
    [
      'base64 is written back canonically',
      'Secret',
      '{"data":{"a":"QR==","b":"QU\\nI=","c":null}}',
      `{${meta},"data":{"a":"QQ==","b":"QUI=","c":null}}`,
    ],
    [
      'bytes as a list of numbers',
      'Secret',
      '{"data":{"a":[104,105,null],"b":[]}}',
      `{${meta},"data":{"a":"aGkA","b":""}}`,
    ],
    [
      'int or string',
      'Service',
      '{"spec":{"ports":[{"port":1,"targetPort":"http"},{"port":2,"targetPort":null}]}}',
      `{${meta},"spec":{"ports":[{"port":1,"targetPort":"http"},{"port":2,"targetPort":0}]},"status":{"loadBalancer":{}}}`,
    ],
    [
      'numbers in any form where a float goes',
      'CustomResourceDefinition',
      '{"spec":{"versions":[{"name":"v","served":true,"storage":true,"schema":{"openAPIV3Schema":{"minimum":1.50,"maximum":1e21,"items":{"type":"string"},"additionalProperties":true,"default":{"b":1,"a":2}}}}]}}',
      `{${meta},"spec":{"group":"","names":{"plural":"","kind":""},"scope":"","versions":[{"name":"v","served":true,"storage":true,"schema":{"openAPIV3Schema":{"default":{"b":1,"a":2},"maximum":1e+21,"minimum":1.5,"items":{"type":"string"},"additionalProperties":true}}}]},"status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}}`,
    ],
    [
      'keys that are array indexes, in a schema within a schema',
      'CustomResourceDefinition',
      '{"spec":{"versions":[{"name":"v","served":true,"storage":true,"schema":{"openAPIV3Schema":{"items":{"properties":{"9":{"type":"string"},"10":{"type":"string"}}}}}}]}}',
      `{${meta},"spec":{"group":"","names":{"plural":"","kind":""},"scope":"","versions":[{"name":"v","served":true,"storage":true,"schema":{"openAPIV3Schema":{"items":{"properties":{"10":{"type":"string"},"9":{"type":"string"}}}}}}]},"status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}}`,
    ],
  ])('%s', (_, kind, text, expected) => {
    expect(decode(kind, text, 'Ignore')).toEqual({ json: expected });
  });
});

describe('strict errors', () => {
  it.each<[KindName, string, readonly string[]]>([
    [
      'Pod',
      '{"spec":{"x":1,"containers":[{"name":"a"},{"name":"b","y":{"z":1}}]},"w":1}',
      ['unknown field "spec.x"', 'unknown field "spec.containers[1].y"', 'unknown field "w"'],
    ],
    [
      'ConfigMap',
      '{"data":{"a":"1","a":"2"},"data":{"b":"3"}}',
      ['duplicate field "data.a"', 'duplicate field "data"'],
    ],
    ['ConfigMap', '{"Data":{},"metadata":{"Name":"x"}}', ['unknown field "Data"', 'unknown field "metadata.Name"']],
    ['ConfigMap', '{"x":1,"x":2,"a\\"b":3}', ['unknown field "x"', 'unknown field "a\\"b"']],
    [
      'CustomResourceDefinition',
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"x":1,"items":{"y":1,"type":"a","type":"b"},"not":{"z":1}}}}]}}',
      [
        'unknown field "spec.versions[0].schema.openAPIV3Schema.x"',
        'unknown field "spec.versions[0].schema.openAPIV3Schema.not.z"',
      ],
    ],
    [
      'Pod',
      `{"spec":{${Array.from({ length: 150 }, (_, i) => `"u${i}":0`).join(',')}}}`,
      Array.from({ length: 100 }, (_, i) => `unknown field "spec.u${i}"`),
    ],
  ])('%s %s', (kind, text, strict) => {
    expect(decode(kind, text).strict).toEqual(strict);
    expect(decode(kind, text, 'Ignore').strict).toBeUndefined();
  });
});

const unmarshal = (value: string, field: string, type: string) =>
  `json: cannot unmarshal ${value} into Go struct field ${field} of type ${type}`;

describe('decode errors', () => {
  it.each<[KindName, string, string]>([
    ['ConfigMap', '{"data":"x"}', unmarshal('string', 'ConfigMap.data', 'map[string]string')],
    ['ConfigMap', '{"data":{"a":1}}', unmarshal('number', 'ConfigMap.data', 'string')],
    ['ConfigMap', '{"immutable":"x","data":[]}', unmarshal('string', 'ConfigMap.immutable', 'bool')],
    ['ConfigMap', '{"metadata":[]}', unmarshal('array', 'ConfigMap.metadata', 'v1.ObjectMeta')],
    ['ConfigMap', '{"metadata":{"labels":{"a":true}}}', unmarshal('bool', 'ObjectMeta.metadata.labels', 'string')],
    ['Deployment', '{"spec":{"replicas":"1"}}', unmarshal('string', 'DeploymentSpec.spec.replicas', 'int32')],
    ['Deployment', '{"spec":{"replicas":1.0}}', unmarshal('number 1.0', 'DeploymentSpec.spec.replicas', 'int32')],
    [
      'Deployment',
      '{"spec":{"replicas":3000000000}}',
      unmarshal('number 3000000000', 'DeploymentSpec.spec.replicas', 'int32'),
    ],
    [
      'Deployment',
      '{"spec":{"template":{"spec":{"containers":[{"env":[{"name":"a","value":1}]}]}}}}',
      unmarshal('number', 'EnvVar.spec.template.spec.containers.env.value', 'string'),
    ],
    [
      'Pod',
      '{"spec":{"volumes":[{"name":"v","emptyDir":{"medium":1}}]}}',
      unmarshal('number', 'EmptyDirVolumeSource.spec.volumes.VolumeSource.emptyDir.medium', 'v1.StorageMedium'),
    ],
    [
      'Pod',
      '{"spec":{"volumes":[{"emptyDir":1}]}}',
      unmarshal('number', 'Volume.spec.volumes.VolumeSource.emptyDir', 'v1.EmptyDirVolumeSource'),
    ],
    ['Pod', '{"spec":{"containers":{}}}', unmarshal('object', 'PodSpec.spec.containers', '[]v1.Container')],
    ['Pod', '{"spec":{"restartPolicy":1}}', unmarshal('number', 'PodSpec.spec.restartPolicy', 'v1.RestartPolicy')],
    [
      'Pod',
      '{"metadata":{"creationTimestamp":1}}',
      unmarshal('number', 'ObjectMeta.metadata.creationTimestamp', 'string'),
    ],
    [
      'Pod',
      '{"metadata":{"creationTimestamp":"x"}}',
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      'Pod',
      '{"metadata":{"name":1},"spec":{"containers":[{"resources":{"limits":{"cpu":"x"}}}]}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      'Service',
      '{"spec":{"ports":[{"targetPort":true}]}}',
      unmarshal('bool', 'ServicePort.spec.ports.targetPort', 'int32'),
    ],
    ['Secret', '{"data":{"a":"x"}}', 'illegal base64 data at input byte 0'],
    ['Secret', '{"data":{"a":"QUJ!"}}', 'illegal base64 data at input byte 3'],
    ['Secret', '{"data":{"a":[1,"x"]}}', unmarshal('string', 'Secret.data', 'uint8')],
    ['Secret', '{"data":{"a":[256]}}', unmarshal('number 256', 'Secret.data', 'uint8')],
    ['Secret', '{"data":{"a":[-1]}}', unmarshal('number -1', 'Secret.data', 'uint8')],
    ['Secret', '{"data":{"a":{}}}', unmarshal('object', 'Secret.data', '[]uint8')],
    [
      'CustomResourceDefinition',
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"additionalProperties":1}}}]}}',
      'boolean or JSON schema expected',
    ],
    [
      'CustomResourceDefinition',
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"items":{"additionalProperties":{"$schema":{}}}}}}}}]}}',
      unmarshal(
        'object',
        'JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.additionalProperties.$schema',
        'v1.JSONSchemaURL',
      ),
    ],
    [
      'CustomResourceDefinition',
      '{"spec":{"versions":[{"name":1,"schema":{"openAPIV3Schema":{"items":{"required":"x"}}}}]}}',
      unmarshal('string', 'JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.required', '[]string'),
    ],
    ['ConfigMap', '[]', 'json: cannot unmarshal array into Go value of type v1.ConfigMap'],
    ['ConfigMap', '', 'unexpected end of JSON input'],
    ['ConfigMap', '{"a":', 'unexpected end of JSON input'],
    ['ConfigMap', '{"a', 'unexpected end of JSON input'],
    ['ConfigMap', '{"a":fa', "invalid character ' ' in literal false (expecting 'l')"],
    ['ConfigMap', '{"a":-', "invalid character ' ' in numeric literal"],
    ['ConfigMap', '{"a":1.', "invalid character ' ' after decimal point in numeric literal"],
    ['ConfigMap', '{"a":1e', "invalid character ' ' in exponent of numeric literal"],
    ['ConfigMap', '{"a\\', "invalid character ' ' in string escape code"],
    ['ConfigMap', '{"a\\u00', "invalid character ' ' in \\u hexadecimal character escape"],
    ['ConfigMap', '{"a":1}x', "invalid character 'x' after top-level value"],
    ['ConfigMap', '{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['ConfigMap', '{"a" 1}', "invalid character '1' after object key"],
    ['ConfigMap', '{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ['ConfigMap', '{"a":[1 2]}', "invalid character '2' after array element"],
    ['ConfigMap', '{"a":01}', "invalid character '1' after object key:value pair"],
    ['ConfigMap', '{"a":-x}', "invalid character 'x' in numeric literal"],
    ['ConfigMap', '{"a":1.x}', "invalid character 'x' after decimal point in numeric literal"],
    ['ConfigMap', '{"a":1ex}', "invalid character 'x' in exponent of numeric literal"],
    ['ConfigMap', '{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
    ['ConfigMap', '{"a":"\n"}', "invalid character '\\n' in string literal"],
    ['ConfigMap', '{"a":"\\x"}', "invalid character 'x' in string escape code"],
    ['ConfigMap', '{"a":"\\u12x4"}', "invalid character 'x' in \\u hexadecimal character escape"],
    ['ConfigMap', '\x1f', "invalid character '\\x1f' looking for beginning of value"],
    ['ConfigMap', "'", "invalid character '\\'' looking for beginning of value"],
    ['ConfigMap', '\xef\xbb\xbf{}', "invalid character 'ï' looking for beginning of value"],
  ])('%s %s', (kind, text, error) => {
    expect(decode(kind, text)).toEqual({ error });
  });

  it('refuses text that is nested too deep', () => {
    expect(decode('ConfigMap', '['.repeat(10_001))).toEqual({ error: 'exceeded max depth' });
    expect(decode('ConfigMap', '{"a":'.repeat(10_001))).toEqual({ error: 'exceeded max depth' });
  });

  it('skips deeply nested text of an unknown field', () => {
    const deep = `{"x":${'['.repeat(9_990)}${']'.repeat(9_990)}}`;
    expect(decode('ConfigMap', deep, 'Strict')).toEqual({ json: `{${meta}}`, strict: ['unknown field "x"'] });
  });
});

describe('fromJson', () => {
  const codec = compileKind(Pod);

  it('accepts bigint for 64-bit integers', () => {
    const { object } = codec.fromJson({ metadata: { generation: 2n ** 60n } }, 'Strict');
    expect(object.metadata.generation).toBe(2n ** 60n);
    expect(() => codec.fromJson({ spec: { priority: 2n ** 60n } }, 'Strict')).toThrow(
      unmarshal('number 1152921504606846976', 'PodSpec.spec.priority', 'int32'),
    );
  });

  it('takes ownership of its argument, and writes values as Go does', () => {
    const value = { spec: { containers: [{ name: 'a', resources: { limits: { cpu: '1000m' } } }] } };
    const { object } = codec.fromJson(value, 'Strict');
    expect(object.spec.containers?.[0]?.resources.limits).toEqual({ cpu: '1' });
  });
});

describe('fromUnstructured', () => {
  const fit = (kind: KindName, value: Json): unknown => {
    const codec = compileKind<unknown>(kinds[kind]);
    try {
      const { object, strictErrors } = codec.fromUnstructured(value, 'Strict');
      const json = Buffer.from(codec.encodeJson(object)).toString('utf8');
      return strictErrors.length === 0 ? json : [json, ...strictErrors];
    } catch (error) {
      return isDecodeError(error) ? error.message : error;
    }
  };

  it.each<[KindName, Json, unknown]>([
    ['Secret', { data: { a: [104, 361, null] } }, `{${meta},"data":{"a":"aGkA"}}`],
    [
      'Pod',
      { metadata: { generation: 2 ** 64 } },
      `{"metadata":{"generation":-9223372036854775808},"spec":{"containers":null},"status":{}}`,
    ],
    ['Pod', { spec: { priority: 2 ** 64 } }, `{${meta},"spec":{"containers":null,"priority":0},"status":{}}`],
    ['Pod', { spec: { priority: 2 ** 32 + 5 } }, `{${meta},"spec":{"containers":null,"priority":5},"status":{}}`],
    [
      'ConfigMap',
      { data: { b: 'x', a: null }, kind: 'ConfigMap' },
      `{"kind":"ConfigMap",${meta},"data":{"a":"","b":"x"}}`,
    ],
    [
      'ResourceSlice',
      { spec: { driver: 'd', pool: { name: 'p' }, devices: [{ name: 'a', capacity: { c: { value: '1', x: 1 } } }] } },
      [
        `{${meta},"spec":{"driver":"d","pool":{"name":"p","generation":0,"resourceSliceCount":0},"devices":[{"name":"a","capacity":{"c":{"value":"1"}}}]}}`,
        // Without the key of the map.
        'unknown field "spec.devices[0].capacity.x"',
      ],
    ],
    [
      'ConfigMap',
      { z: 1, metadata: { y: 1 }, a: 1 },
      [`{${meta}}`, 'unknown field "a"', 'unknown field "metadata.y"', 'unknown field "z"'],
    ],
    ['ConfigMap', { data: { a: 1 } }, 'cannot convert int64 to string'],
    ['ConfigMap', { data: { a: true } }, 'unrecognized type: string'],
    ['ConfigMap', { data: 'x' }, 'cannot restore map from string'],
    ['ConfigMap', { metadata: [] }, 'cannot restore struct from: slice'],
    ['ConfigMap', { binaryData: { a: '!' } }, 'error decoding from json: illegal base64 data at input byte 0'],
    ['Pod', { spec: { containers: {} } }, 'cannot restore slice from map'],
    ['Pod', { spec: { restartPolicy: 1 } }, 'cannot convert int64 to v1.RestartPolicy'],
    ['Deployment', { spec: { replicas: 'x' } }, 'unrecognized type: int32'],
    ['Deployment', { spec: { replicas: 1.5 } }, 'cannot convert float64 to int32'],
    ['Service', { spec: { ports: [{ targetPort: true }] } }, 'json: cannot unmarshal bool into Go value of type int32'],
  ])('%s %j', (kind, value, expected) => {
    expect(fit(kind, value)).toEqual(expected);
  });
});
