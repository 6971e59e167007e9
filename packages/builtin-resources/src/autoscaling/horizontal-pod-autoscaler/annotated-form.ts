import { LabelSelector } from '@apiserver/api/meta/v1';
import type { Json, KubeObject } from '@apiserver/apimachinery';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import {
  defineKind,
  INT32,
  list,
  named,
  OMIT_EMPTY,
  POINTER,
  QUANTITY,
  STRING,
  type StructSchema,
  struct,
  TIME,
} from '@apiserver/apimachinery/schema';
import { compactJson } from '@apiserver/apimachinery/text';
import { withDeclaredNames } from './declared-names.js';

/** The contents of version 1's annotations for metrics and conditions, for which it has no fields. */
export interface AnnotatedForm extends KubeObject {
  metrics?: LegacyMetric[];
  currentMetrics?: LegacyMetricStatus[];
  conditions?: object[];
  behavior?: object;
}

/** A metric in the form of version 1. */
export interface LegacyMetric {
  type: string;
  object?: {
    target: { kind: string; name: string; apiVersion?: string };
    metricName: string;
    targetValue: string;
    selector?: object;
    averageValue?: string;
  };
  pods?: { metricName: string; targetAverageValue: string; selector?: object };
  resource?: LegacyUsage;
  containerResource?: LegacyUsage & { container: string };
  external?: { metricName: string; metricSelector?: object; targetValue?: string; targetAverageValue?: string };
}

interface LegacyUsage {
  name: string;
  targetAverageUtilization?: number;
  targetAverageValue?: string;
}

/** A measured metric in the form of version 1. */
export interface LegacyMetricStatus {
  type: string;
  object?: {
    target: { kind: string; name: string; apiVersion?: string };
    metricName: string;
    currentValue: string;
    selector?: object;
    averageValue?: string;
  };
  pods?: { metricName: string; currentAverageValue: string; selector?: object };
  resource?: LegacyMeasured;
  containerResource?: LegacyMeasured & { container: string };
  external?: { metricName: string; metricSelector?: object; currentValue: string; currentAverageValue?: string };
}

interface LegacyMeasured {
  name: string;
  currentAverageUtilization?: number;
  currentAverageValue: string;
}

type Field = keyof AnnotatedForm & ('metrics' | 'currentMetrics' | 'conditions' | 'behavior');

/** Encodes an annotation: the JSON that Go writes for version 1's types. */
export function encodeAnnotation<F extends Field>(field: F, value: AnnotatedForm[F]): string {
  const form: AnnotatedForm = { apiVersion: '', kind: '', metadata: {}, [field]: value };
  return compactJson(codec().normalize(form)[field]);
}

/** Decodes an annotation; undefined if it is invalid or empty. */
export function decodeAnnotation<F extends Field>(field: F, text: string | undefined): AnnotatedForm[F] | undefined {
  if (text === undefined) return undefined;
  try {
    const value: Json = JSON.parse(text);
    return codec().fromJson(withDeclaredNames({ [field]: value }, schema()), 'Ignore').object[field];
  } catch {
    return undefined;
  }
}

let form: StructSchema | undefined;
let compiled: KindCodec<AnnotatedForm> | undefined;

function schema(): StructSchema {
  form ??= formSchema();
  return form;
}

/** Made when the first object is converted. */
function codec(): KindCodec<AnnotatedForm> {
  compiled ??= compileKind(defineKind<AnnotatedForm>(['', '', ''], schema()));
  return compiled;
}

function formSchema(): StructSchema {
  const optional = OMIT_EMPTY | POINTER;
  const reference = part('CrossVersionObjectReference', [
    ['kind', STRING],
    ['name', STRING],
    ['apiVersion', STRING, OMIT_EMPTY],
  ]);
  const selector = ['selector', LabelSelector, optional] as const;
  const share = (name: string) => [name, INT32, optional] as const;
  const usage = [
    ['name', STRING],
    share('targetAverageUtilization'),
    ['targetAverageValue', QUANTITY, optional],
  ] as const;
  const measured = [['name', STRING], share('currentAverageUtilization'), ['currentAverageValue', QUANTITY]] as const;
  const metric = sources('MetricSpec', {
    object: [
      ['target', reference],
      ['metricName', STRING],
      ['targetValue', QUANTITY],
      selector,
      ['averageValue', QUANTITY, optional],
    ],
    pods: [['metricName', STRING], ['targetAverageValue', QUANTITY], selector],
    resource: usage,
    containerResource: [...usage, ['container', STRING]],
    external: [
      ['metricName', STRING],
      ['metricSelector', LabelSelector, optional],
      ['targetValue', QUANTITY, optional],
      ['targetAverageValue', QUANTITY, optional],
    ],
  });
  const status = sources('MetricStatus', {
    object: [
      ['target', reference],
      ['metricName', STRING],
      ['currentValue', QUANTITY],
      selector,
      ['averageValue', QUANTITY, optional],
    ],
    pods: [['metricName', STRING], ['currentAverageValue', QUANTITY], selector],
    resource: measured,
    containerResource: [...measured, ['container', STRING]],
    external: [
      ['metricName', STRING],
      ['metricSelector', LabelSelector, optional],
      ['currentValue', QUANTITY],
      ['currentAverageValue', QUANTITY, optional],
    ],
  });
  return part('Form', [
    ['metrics', list(metric), OMIT_EMPTY],
    ['currentMetrics', list(status), OMIT_EMPTY],
    ['conditions', list(conditionSchema()), OMIT_EMPTY],
    ['behavior', behaviorSchema(), optional],
  ]);
}

function conditionSchema(): StructSchema {
  return part('Condition', [
    ['type', STRING],
    ['status', named('v1.ConditionStatus')],
    ['lastTransitionTime', TIME, OMIT_EMPTY],
    ['reason', STRING, OMIT_EMPTY],
    ['message', STRING, OMIT_EMPTY],
  ]);
}

/** Upstream writes its internal type, and thus the names of Go's fields. */
function behaviorSchema(): StructSchema {
  const policy = part('Policy', [
    ['Type', STRING],
    ['Value', INT32],
    ['PeriodSeconds', INT32],
  ]);
  const rules = part('Rules', [
    ['StabilizationWindowSeconds', INT32, POINTER],
    ['SelectPolicy', STRING, POINTER],
    ['Policies', list(policy)],
    ['Tolerance', QUANTITY, POINTER],
  ]);
  return part('Behavior', [
    ['ScaleUp', rules, POINTER],
    ['ScaleDown', rules, POINTER],
  ]);
}

type Part = readonly [name: string, schema: Parameters<typeof list>[0], flags?: number];

function sources(name: string, fields: Readonly<Record<string, readonly Part[]>>): StructSchema {
  const parts = Object.entries(fields).map(
    ([field, inner]): Part => [field, part(`${name}.${field}`, inner), OMIT_EMPTY | POINTER],
  );
  return part(name, [['type', STRING], ...parts]);
}

/** Field numbers are irrelevant: it is never written as protobuf. */
function part(name: string, fields: readonly Part[]): StructSchema {
  const full = `annotated.${name}`;
  return struct(full, full, () =>
    fields.map(([field, schema, flags = 0], i) => [field, i + 1, schema, flags] as const),
  );
}
