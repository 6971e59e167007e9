import type { Handler } from '@apiserver/apiserver-contracts';
import { binaryVersion } from '@apiserver/component-base/version';
import { formatUnixDate } from './unix-date.js';
import { zPageHandler } from './z-page-handler.js';
import type { ZPagesOptions } from './z-pages-options.js';

/** Paths of the API itself. Upstream: nonDebuggingEndpoints */
const API_PATHS: ReadonlySet<string> = new Set(['/apis', '/api', '/openid', '/openapi', '/.well-known']);

/** Serves the versions and the age of the process, and its paths. Upstream: k8s.io/apiserver/pkg/server/statusz */
export function statuszHandler(options: ZPagesOptions): Handler {
  const { now, version } = options.config;
  const binary = binaryVersion(version);
  const emulated = `${version.emulationMajor}.${version.emulationMinor}`;
  const started = new Date(Math.trunc(options.processStart / 1_000) * 1_000);
  const uptimeSeconds = () => Math.max(0, Math.trunc((now() - started.getTime()) / 1_000));
  const paths = () => debuggingPaths(options.listedPaths());
  return zPageHandler(
    {
      kind: 'Statusz',
      text: (delimiter) => {
        const lines = [
          ['Started', formatUnixDate(started)],
          ['Up', formatUptime(uptimeSeconds())],
          ['Go version', version.goVersion],
          ['Binary version', binary],
          ['Emulation version', emulated],
          ['Paths', paths().join(' ')],
        ];
        return `\n${lines.map(([name, value]) => `${name}${delimiter} ${value}\n`).join('')}`;
      },
      fields: () => ({
        startTime: started.toISOString().replace('.000Z', 'Z'),
        uptimeSeconds: uptimeSeconds(),
        goVersion: version.goVersion,
        binaryVersion: binary,
        emulationVersion: emulated,
        paths: paths(),
      }),
    },
    options,
  );
}

function formatUptime(seconds: number): string {
  const twoDigits = (value: number) => String(value % 60).padStart(2, '0');
  const minutes = Math.trunc(seconds / 60);
  return `${Math.trunc(minutes / 60)} hr ${twoDigits(minutes)} min ${twoDigits(seconds)} sec`;
}

/** The first parts of all paths but those of the API. Upstream: aggregatePaths */
function debuggingPaths(listed: readonly string[]): string[] {
  const folders = listed
    .map((path) => `/${path.split('/')[1] ?? ''}`)
    .filter((path) => path !== '/' && !API_PATHS.has(path));
  return [...new Set(folders)].sort();
}
