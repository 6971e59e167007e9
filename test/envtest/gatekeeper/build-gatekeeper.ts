import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { download, go } from '../public-suites/go-workspace.ts';

const published = { module: 'github.com/open-policy-agent/gatekeeper/v3', version: 'v3.23.1' };

export interface BuiltGatekeeper {
  readonly program: string;
  /** The published sources, with its manifests and the files of its own tests. */
  readonly sources: string;
}

/** Compiles Gatekeeper from its published module into a folder, unless it is there. */
export function buildGatekeeper(folder: string): BuiltGatekeeper {
  mkdirSync(folder, { recursive: true });
  const program = join(folder, 'gatekeeper');
  const { module, version } = published;
  if (!existsSync(program)) go(folder, ['install', `${module}@${version}`], { GOBIN: folder });
  return { program, sources: download(folder, published) };
}
