import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exporterUrl } from './exporter-url.js';
import { readTracingConfiguration } from './tracing-configuration.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracing-'));
  file = join(folder, 'tracing.yaml');
});
afterEach(() => rmSync(folder, { recursive: true }));

const header = (version: string) => `apiVersion: apiserver.config.k8s.io/${version}\nkind: TracingConfiguration\n`;

function read(text: string) {
  writeFileSync(file, text);
  return readTracingConfiguration(file);
}

it.each(['v1', 'v1beta1', 'v1alpha1'])('reads %s', (version) => {
  expect(read(`${header(version)}endpoint: localhost:4317\nsamplingRatePerMillion: 12345\n`)).toMatchObject({
    endpoint: 'localhost:4317',
    samplingRatePerMillion: 12345,
  });
});

it('has no defaults', () => {
  const { endpoint, samplingRatePerMillion } = read(header('v1'));
  expect([endpoint, samplingRatePerMillion]).toEqual([undefined, undefined]);
});

const invalid = 'failed to validate tracing configuration: ';
const undecodable = 'failed to read tracing config: unable to decode tracing configuration data: ';
const schemes =
  'Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md';

it.each([
  ['samplingRatePerMillion: -1', `${invalid}samplingRatePerMillion: Invalid value: -1: sampling rate must be positive`],
  [
    'samplingRatePerMillion: 1000001',
    `${invalid}samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or equal to one million`,
  ],
  [
    'endpoint: http://localhost:4317',
    `${invalid}endpoint: Invalid value: "http://localhost:4317": unsupported scheme: http.  ${schemes}`,
  ],
  [
    'endpoint: dn%2s://localhost:4317',
    `${invalid}endpoint: Invalid value: "dn%2s://localhost:4317": parse "dn%2s://localhost:4317": first path segment in URL cannot contain colon`,
  ],
  ['rate: 1', `${undecodable}strict decoding error: unknown field "rate"`],
  [
    'endpoint: a\nendpoint: b',
    `${undecodable}strict decoding error: yaml: unmarshal errors:\n  line 4: key "endpoint" already set in map`,
  ],
])('refuses %j', (fields, message) => {
  expect(() => read(`${header('v1')}${fields}\n`)).toThrow(expect.objectContaining({ message }));
});

it.each([
  [
    'apiVersion: apiserver.config.k8s.io/v2\nkind: TracingConfiguration\n',
    'no kind "TracingConfiguration" is registered for version "apiserver.config.k8s.io/v2" in scheme "pkg/server/options/tracing.go:49"',
  ],
  [
    'kind: Other\n',
    'no kind "Other" is registered for the internal version of group "apiserver.config.k8s.io" in scheme "pkg/server/options/tracing.go:49"',
  ],
])('refuses the kind of %j', (text, message) => {
  expect(() => read(text)).toThrow(`${undecodable}${message}`);
});

it('needs no kind', () => {
  expect(read('endpoint: collector:4317\n')).toMatchObject({ endpoint: 'collector:4317' });
});

it('names the embedded type in errors about fields', () => {
  expect(() => read(`${header('v1')}endpoint: 1\n`)).toThrow(
    `${undecodable}json: cannot unmarshal number into Go struct field TracingConfiguration.TracingConfiguration.endpoint of type string`,
  );
});

it('names a file that is not there', () => {
  expect(() => readTracingConfiguration(file)).toThrow(
    `failed to read tracing config: unable to read tracing configuration from "${file}": open ${file}: no such file or directory`,
  );
});

it.each([
  [undefined, 'http://localhost:4317'],
  ['collector:4317', 'http://collector:4317'],
  ['dns:///collector:4317', 'http://collector:4317'],
  ['dns://1.1.1.1/collector:4317', 'http://collector:4317'],
  ['dns://collector:4317', 'http://collector:4317'],
  ['unix:///run/otlp.sock', 'unix:///run/otlp.sock'],
  ['unix:/run/otlp.sock', 'unix:///run/otlp.sock'],
  ['unix:otlp.sock', `unix://${process.cwd()}/otlp.sock`],
])('connects to %s by %s', (endpoint, url) => {
  expect(exporterUrl(endpoint)).toBe(url);
});

it('cannot connect to an abstract socket', () => {
  expect(() => exporterUrl('unix-abstract:otlp')).toThrow('the endpoint unix-abstract:otlp is not supported');
});
