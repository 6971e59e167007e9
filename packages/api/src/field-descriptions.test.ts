import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fieldDescriptions } from './field-descriptions.js';

let folder: string;
const write = (file: string, definitions: object) => writeFileSync(join(folder, file), JSON.stringify(definitions));
const open = () => fieldDescriptions(pathToFileURL(`${folder}/`));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'descriptions-'));
  write('core-v1.json', { 'io.k8s.api.core.v1.Pod': { '': 'A pod.', spec: 'What it is.' } });
  write('meta-v1.json', { 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': { name: 'A name.' } });
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('fieldDescriptions', () => {
  it.each([
    ['io.k8s.api.core.v1.Pod', 'spec', 'What it is.'],
    ['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', 'name', 'A name.'],
    ['io.k8s.api.core.v1.Pod', 'toString', ''],
    ['io.k8s.api.core.v1.Node', 'spec', ''],
    ['io.k8s.api.apps.v1.Deployment', 'spec', ''],
  ])('describes %s %s', (definition, field, description) => expect(open()(definition, field)).toBe(description));

  it('caches the result and does not read the file again', () => {
    const describeField = open();
    describeField('io.k8s.api.core.v1.Pod', 'spec');
    write('core-v1.json', { 'io.k8s.api.core.v1.Pod': { spec: 'Other.' } });
    expect(describeField('io.k8s.api.core.v1.Pod', 'spec')).toBe('What it is.');
  });
});
