import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupVersions } from '@apiserver/api';
import type { JsonObject } from '@apiserver/apimachinery';
import { openApiDefinitions } from '@apiserver/apimachinery/openapi';
import type { Schema } from '@apiserver/apimachinery/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modulesMissing } from '../envtest/go-tests.ts';
import { repositoryRoot, temporaryDirectory } from '../harness/api-server.ts';

const folder = join(repositoryRoot, 'test/openapi');
const missing = modulesMissing(folder);
const compileDeadlineMs = 8 * 60_000;

/** Where upstream's types are, beside the packages of k8s.io/api. */
const PACKAGES = [
  'k8s.io/apimachinery/pkg/api/resource',
  'k8s.io/apimachinery/pkg/apis/meta/v1',
  'k8s.io/apimachinery/pkg/apis/meta/v1beta1',
  'k8s.io/apimachinery/pkg/runtime',
  'k8s.io/apimachinery/pkg/util/intstr',
  'k8s.io/apimachinery/pkg/version',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1',
];

/**
 * Only in ours: kinds that are only sent to webhooks, for which upstream generates nothing, and groups of other
 * modules.
 */
const UNGENERATED = /^io\.k8s\.(api\.admission\.|api\.imagepolicy\.|apiserver\.|kube-aggregator\.)/;

const KNOWN: Readonly<Record<string, string>> = {
  'io.k8s.apimachinery.pkg.runtime.Unknown': 'stands in no document: its place is taken by RawExtension',
  'io.k8s.api.admissionregistration.v1beta1.ValidatingWebhook':
    'a marker of lists at a text; no server has the version',
};

interface UpstreamDefinition {
  readonly v2?: JsonObject;
  readonly v3: JsonObject;
}

/** The definitions that openapi-gen makes of upstream's types, as a server has them built in. */
function upstreamDefinitions(module: string): Readonly<Record<string, UpstreamDefinition>> {
  for (const name of ['go.mod', 'go.sum']) copyFileSync(join(folder, name), join(module, name));
  const go = (...args: readonly string[]): string => {
    const options = { cwd: module, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
    const { status, stdout, stderr } = spawnSync('go', args, options);
    if (status !== 0) throw new Error(`go ${args[0] ?? ''}: ${stderr}`);
    return stdout;
  };
  const groups = go('list', 'k8s.io/api/...').split('\n');
  const packages = groups.filter((name) => /\/v\d[a-z0-9]*$/.test(name) && !name.includes('/testapigroup/'));
  mkdirSync(join(module, 'generated'));
  const header = join(module, 'header.txt');
  writeFileSync(header, '');
  const output = ['--output-dir=generated', '--output-pkg=apiserver.test/openapi/generated', '--output-file=made.go'];
  const report = [`--go-header-file=${header}`, `--report-filename=${join(module, 'report.txt')}`];
  go('tool', 'openapi-gen', ...output, ...report, ...PACKAGES, ...packages);
  mkdirSync(join(module, 'definitions'));
  copyFileSync(join(folder, 'definitions.go.txt'), join(module, 'definitions/main.go'));
  return JSON.parse(go('run', '-mod=mod', './definitions'));
}

/** A definition with keys in order, without descriptions. References stand alone, whatever is said beside them. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const { allOf, ...rest } = value as { readonly allOf?: unknown };
  // A property may have the name.
  const [reference, ...others]: readonly object[] = Array.isArray(allOf) ? allOf : [];
  const isReference = reference !== undefined && '$ref' in reference && others.length === 0;
  const whole = isReference ? { ...rest, ...reference } : value;
  const entries = Object.entries(whole).filter(([key, inner]) => key !== 'description' || typeof inner !== 'string');
  return Object.fromEntries(entries.map(([key, inner]) => [key, comparable(inner)]));
}

/** Of version 2, which has no defaults. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, inner]) => key !== 'default' || isSchema(inner));
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutDefaults(inner)]));
}

/** A property may be called `default`. */
function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('type' in value || '$ref' in value);
}

describe.skipIf(missing !== undefined)(
  `OpenAPI definitions beside those of upstream’s generator${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    const resources = new DisposableStack();
    let upstream: Readonly<Record<string, UpstreamDefinition>>;
    const roots: Schema[] = [];

    beforeAll(async () => {
      for (const entry of groupVersions) roots.push(...(await entry.load()).kinds().map(({ schema }) => schema));
      upstream = upstreamDefinitions(resources.use(temporaryDirectory('definitions')).path);
    }, compileDeadlineMs);

    afterAll(() => resources.dispose());

    it.each(['v3', 'v2'] as const)('%s', (version) => {
      const ours = openApiDefinitions(roots, { version, enums: true });
      const different: unknown[] = [];
      for (const [name, definition] of ours) {
        const theirs = upstream[name];
        if (theirs === undefined && UNGENERATED.test(name)) continue;
        if (name in KNOWN) continue;
        const spelled = JSON.stringify((version === 'v2' ? theirs?.v2 : undefined) ?? theirs?.v3 ?? null);
        const expected = comparable(JSON.parse(spelled.replaceAll('#/components/schemas/', prefixes[version])));
        const actual = comparable(JSON.parse(JSON.stringify(definition)));
        const pair = version === 'v2' ? [actual, expected].map(withoutDefaults) : [actual, expected];
        try {
          expect(pair[0]).toEqual(pair[1]);
        } catch {
          different.push([name, pair]);
        }
      }
      expect(different).toEqual([]);
      expect(ours.size).toBeGreaterThan(1000);
    });
  },
);

const prefixes = { v2: '#/definitions/', v3: '#/components/schemas/' } as const;
