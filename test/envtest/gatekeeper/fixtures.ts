import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Kubectl } from '../../harness/kubectl.ts';
import { until } from './run-gatekeeper.ts';

/** The files of Gatekeeper's own tests, applied by kubectl. */
export class Fixtures {
  readonly #kubectl: Kubectl;
  readonly #folder: string;

  constructor(kubectl: Kubectl, sources: string) {
    this.#kubectl = kubectl;
    this.#folder = join(sources, 'test/bats/tests');
  }

  /** Applies a file, which must succeed, and returns what kubectl prints, warnings included. */
  async apply(file: string): Promise<string> {
    const { code, stdout, stderr } = await this.#apply(file);
    assert.equal(code, 0, `${file}: ${stderr}`);
    return stdout + stderr;
  }

  /** Applies a file whose kind may not be served yet. */
  async applyConstraint(file: string): Promise<void> {
    await until(`${file} cannot be applied`, async () => (await this.#apply(file)).code === 0);
  }

  /** Applies a file, which must fail with the message. */
  async refuse(file: string, message: RegExp): Promise<void> {
    const { code, stdout, stderr } = await this.#apply(file);
    assert.notEqual(code, 0, `${file} was applied: ${stdout}`);
    assert.match(stderr, message);
  }

  /** Resolves when Gatekeeper says that it enforces the latest generation of an object. */
  async enforced(object: string): Promise<void> {
    await until(`${object} is not enforced`, async () => {
      const { metadata, status } = JSON.parse(await this.#kubectl.ok(['get', object, '-o', 'json']));
      const [pod] = status?.byPod ?? [];
      return pod?.enforced === true && pod.observedGeneration === metadata.generation;
    });
  }

  /** Resolves when an object exists. */
  async exists(object: string): Promise<void> {
    await until(`there is no ${object}`, async () => (await this.#kubectl.run(['get', object])).code === 0);
  }

  /** A field of an object, by JSONPath. */
  async field(object: string, path: string): Promise<string> {
    return this.#kubectl.ok(['get', ...object.split(' '), '-o', `jsonpath={${path}}`]);
  }

  async remove(...object: readonly string[]): Promise<void> {
    await this.#kubectl.ok(['delete', ...object]);
  }

  #apply(file: string) {
    return this.#kubectl.run(['apply', '-f', join(this.#folder, file)]);
  }
}
