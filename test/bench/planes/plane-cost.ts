import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { percentile } from '../measurement.ts';
import { printTable } from '../print-table.ts';
import { bareNodeTime } from '../start-time.ts';

/** Run in processes of their own, so that they import everything themselves. */
const programs = {
  first: `
    import { startControlPlane } from '@apiserver/envtest';
    const plane = await startControlPlane();
    await (await plane.fetch('/api/v1/namespaces/default')).text();
    console.log(Date.now());
    await plane.stop();`,
  further: `
    import { startControlPlane } from '@apiserver/envtest';
    const [starts, firsts, stops] = [[], [], []];
    for (let run = -5; run < Number(process.argv[1]); run++) {
      const times = [performance.now()];
      const plane = await startControlPlane();
      times.push(performance.now());
      await (await plane.fetch('/api/v1/namespaces/default')).text();
      times.push(performance.now());
      await plane.stop();
      times.push(performance.now());
      if (run < 0) continue;
      for (const [index, list] of [starts, firsts, stops].entries()) list.push(times[index + 1] - times[index]);
    }
    console.log(JSON.stringify([starts, firsts, stops]));`,
  many: `
    import { startControlPlane } from '@apiserver/envtest';
    const planes = [];
    for (let index = 0; index < 100; index++) {
      const name = (number) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'map-' + number } });
      planes.push(await startControlPlane({ objects: Array.from({ length: 10 }, (_, number) => name(number)) }));
    }
    gc();
    console.log(process.memoryUsage.rss() / 2 ** 20);
    await Promise.all(planes.map((plane) => plane.stop()));`,
  leaks: `
    import { readdirSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { startControlPlane } from '@apiserver/envtest';
    const state = () => {
      gc();
      const folders = readdirSync(tmpdir()).filter((name) => name.startsWith('envtest-')).length;
      const resources = process.getActiveResourcesInfo().length;
      return [folders, resources, process.memoryUsage().heapUsed / 2 ** 20];
    };
    let before;
    for (let run = -50; run < Number(process.argv[1]); run++) {
      if (run === 0) before = state();
      const plane = await startControlPlane();
      await (await plane.fetch('/api/v1/namespaces/default')).text();
      plane.kubeconfigFile();
      await plane.stop();
    }
    console.log(JSON.stringify(state().map((value, index) => value - before[index])));`,
} as const;

/** Number of planes that are started and stopped to find their remains. */
const LEAK_RUNS = 1000;

/** Measures planes of @apiserver/envtest: the first one of a process, further ones, and 100 at once. */
export async function measurePlanes(starts: number): Promise<void> {
  const first: number[] = [];
  const bareNode: number[] = [];
  for (let run = 0; run < starts; run++) {
    bareNode.push(await bareNodeTime());
    const begun = Date.now();
    first.push(Number(await output('first')) - begun);
  }
  const [further = [], request = [], stop = []]: number[][] = JSON.parse(await output('further', String(starts)));
  const rows = [
    ['a process until its first response', ...figures(first), '200'],
    ['node -e 0', ...figures(bareNode), ''],
    ['a further plane', ...figures(further), '15'],
    ['its first response', ...figures(request), ''],
    ['its end', ...figures(stop), '5'],
  ];
  printTable(`planes, ms, ${starts} runs`, [['', 'best', 'median', 'p90', 'aim'], ...rows]);
  const rss = Number(await output('many')).toFixed(0);
  printTable('memory', [
    ['', 'RSS MiB', 'aim'],
    ['100 planes with 10 objects each', rss, '500'],
  ]);
  const [folders, resources, heap]: number[] = JSON.parse(await output('leaks', String(LEAK_RUNS)));
  printTable(`growth by ${LEAK_RUNS} starts and stops`, [
    ['', 'growth', 'aim'],
    ['temporary folders', String(folders), '0'],
    ['handles', String(resources), '0'],
    ['heap, MiB', Number(heap).toFixed(1), '0'],
  ]);
}

async function output(program: keyof typeof programs, ...args: readonly string[]): Promise<string> {
  // V8 refuses bytecode under the flag.
  const exposed = program === 'many' || program === 'leaks' ? ['--expose-gc'] : [];
  const flags = [...exposed, '--input-type=module', '-e', programs[program], ...args];
  return (await promisify(execFile)(process.execPath, flags, { cwd: import.meta.dirname })).stdout;
}

function figures(times: number[]): readonly string[] {
  const sorted = times.toSorted((a, b) => a - b);
  return [0, 0.5, 0.9].map((part) => percentile(sorted, part).toFixed(1));
}
