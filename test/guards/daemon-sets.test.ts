import { beforeAll, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { object, paths } from './objects.ts';

const ANNOTATION = 'deprecated.daemonset.template.generation';
const DAEMON_SETS = paths.inGroup('apps', 'default', 'daemonsets');

const server = assembledServer();
const daemonSet = (image: string) =>
  object('apps/v1', 'DaemonSet', 'd', {
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image }] } },
    },
  });

/** The managers of the annotation, and its value. */
function generationOf({ metadata }: Awaited<ReturnType<typeof server.make>>): unknown {
  const managers = metadata.managedFields
    .filter((entry: { fieldsV1: object }) => JSON.stringify(entry.fieldsV1).includes(ANNOTATION))
    .map(({ manager }: { manager: string }) => manager);
  return [metadata.annotations[ANNOTATION], managers];
}

let created: unknown;
beforeAll(async () => {
  created = generationOf(await server.make(`${DAEMON_SETS}?fieldManager=create`, daemonSet('i')));
});

it('has a generation of its template, which belongs to the writer of the whole object', async () => {
  const updated = await server.make(`${DAEMON_SETS}/d?fieldManager=update`, daemonSet('j'), 'PUT');
  const copied = await server.make(`${DAEMON_SETS}/d?fieldManager=copy`, updated, 'PUT');
  expect([created, generationOf(updated), generationOf(copied)]).toEqual([
    ['1', ['create']],
    ['2', ['update']],
    ['2', ['update']],
  ]);
});
