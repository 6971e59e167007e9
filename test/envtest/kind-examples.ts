import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '@apiserver/apimachinery/codec/yaml';
import { certificateRequests } from '@apiserver/apimachinery/testing';
import { envtestFolder } from './go-tests.ts';

/** A valid object of a kind, as kinds.yaml has it: mostly without name and namespace. */
export interface KindExample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** One valid object of every kind that can be created. Namespaced objects are in this namespace. */
export function readKindExamples(namespace: string): readonly KindExample[] {
  const text = readFileSync(join(envtestFolder, 'testdata/objects/kinds.yaml'), 'utf8')
    .replaceAll('NAMESPACE', namespace)
    .replaceAll('REQUEST}', `${Buffer.from(certificateRequests.ecdsa).toString('base64')}}`);
  return text.split(/^---$/m).map((document) => parseYaml(Buffer.from(document)) as unknown as KindExample);
}
