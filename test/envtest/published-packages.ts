import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LocalRegistry } from '../../scripts/release/local-registry.ts';
import { repositoryRoot, temporaryDirectory } from '../harness/api-server.ts';

const run = promisify(execFile);

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** The names of a package and of all packages of this repository that it depends on. */
function withDependencies(name: string, found = new Set<string>()): Set<string> {
  if (!name.startsWith('@apiserver/') || found.has(name)) return found;
  found.add(name);
  const { dependencies = {} } = manifestOf(name);
  for (const dependency of Object.keys(dependencies)) withDependencies(dependency, found);
  return found;
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(repositoryRoot, 'node_modules', name, 'package.json'), 'utf8'));
}

/** A package with its dependencies, built, on a registry of this process, for npm in empty folders. */
export class PublishedPackages implements AsyncDisposable {
  readonly #registry: LocalRegistry;
  readonly #folder: ReturnType<typeof temporaryDirectory>;
  readonly #userConfig: string;

  private constructor(registry: LocalRegistry) {
    this.#registry = registry;
    this.#folder = temporaryDirectory('published-packages');
    this.#userConfig = join(this.#folder.path, 'npmrc');
    // npm publishes to no registry without a token.
    const token = `${registry.url.replace(/^http:/, '')}:_authToken=trial`;
    writeFileSync(this.#userConfig, `@apiserver:registry=${registry.url}\n${token}\n`);
  }

  static async publish(name: string): Promise<PublishedPackages> {
    const published = new PublishedPackages(await LocalRegistry.start());
    const workspaces = [...withDependencies(name)].map((workspace) => `--workspace=${workspace}`);
    await published.npm(repositoryRoot, ['publish', '--ignore-scripts', ...workspaces]);
    return published;
  }

  /** An empty folder below that of the packages, and one for the temporary files of its programs. */
  makeFolder(name: string): { readonly path: string; readonly temporary: string } {
    const path = mkdtempSync(join(this.#folder.path, `${name}-`));
    const temporary = `${path}-temporary`;
    mkdirSync(temporary);
    return { path, temporary };
  }

  /** Runs npm to its end, and resolves with everything that it prints. Rejects with that if it fails. */
  async npm(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    const npm = { npm_config_userconfig: this.#userConfig, npm_config_loglevel: 'error' };
    try {
      const { stdout, stderr } = await run('npm', args, { cwd, env: { ...process.env, ...npm, ...env } });
      return stdout + stderr;
    } catch (cause) {
      const { stdout = '', stderr = '' } = Object(cause);
      throw new Error(`npm ${args.join(' ')}: ${stdout}${stderr}`, { cause });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registry[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}
