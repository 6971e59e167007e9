import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorOf, goFileError } from '@apiserver/apimachinery/errors';
import { quote, trimSpace } from '@apiserver/apimachinery/text';
import { READ_WITHOUT_WAITING } from '@apiserver/component-base/process';
import { ManifestError } from './manifest-error.js';

/** A document of a file; `text` has no white space around it. */
interface ManifestDocument {
  readonly file: string;
  readonly text: string;
}

/** The content of a folder. */
export interface ManifestFiles {
  readonly documents: readonly ManifestDocument[];
  /** `sha256:` and the hash of all files; empty for a folder without content. */
  readonly hash: string;
}

/** A file may have no other name. */
const EXTENSION = /\.(?:yaml|yml|json)$/i;
const SEPARATOR = '---';

/**
 * Reads the YAML and JSON files of a folder in the order of their names. Throws an Error with upstream's message.
 * Upstream: LoadFiles of k8s.io/apiserver/pkg/admission/plugin/manifest
 */
export function readManifestFiles(directory: string): ManifestFiles {
  const documents: ManifestDocument[] = [];
  const hash = createHash('sha256');
  let isEmpty = true;
  for (const name of namesIn(directory)) {
    const file = join(directory, name);
    const data = read(file);
    if (data.length === 0) continue;
    isEmpty = false;
    hash.update(data).update('\0');
    for (const text of documentsOf(data.toString(), file)) documents.push({ file, text });
  }
  return { documents, hash: isEmpty ? '' : `sha256:${hash.digest('hex')}` };
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && EXTENSION.test(entry.name))
      .map(({ name }) => name)
      .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  } catch (error) {
    throw new ManifestError(`failed to read manifest directory ${quote(directory)}: ${problemOf(directory, error)}`);
  }
}

function read(file: string): Buffer {
  try {
    return readFileSync(file, { flag: READ_WITHOUT_WAITING });
  } catch (error) {
    throw new ManifestError(`failed to read file ${quote(file)}: ${problemOf(file, error)}`);
  }
}

function problemOf(path: string, error: unknown): string {
  return goFileError('open', path, errorOf(error));
}

/** Upstream: YAMLReader of k8s.io/apimachinery/pkg/util/yaml */
function documentsOf(content: string, file: string): readonly string[] {
  const documents: string[][] = [[]];
  for (const line of content.split(/\r?\n/)) {
    const behind = line.startsWith(SEPARATOR) ? trimSpace(line.slice(SEPARATOR.length)) : undefined;
    if (behind !== undefined && behind !== '' && !behind.startsWith('#')) {
      const problem = `invalid Yaml document separator: ${behind}`;
      throw new ManifestError(`failed to split YAML documents in file ${quote(file)}: ${problem}`);
    }
    if (behind === undefined || documents.at(-1)?.length === 0) documents.at(-1)?.push(line);
    else documents.push([]);
  }
  return documents.map((lines) => trimSpace(lines.join('\n'))).filter((text) => text !== '');
}
