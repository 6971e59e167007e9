import { beforeAll, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { core, object, paths } from './objects.ts';

const server = assembledServer();

/** A class that objects without one get. */
const defaultClass = (apiVersion: string, kind: string, annotation: string, more: object) => ({
  ...object(apiVersion, kind, 'usual', more),
  metadata: { name: 'usual', annotations: { [annotation]: 'true' } },
});

beforeAll(async () => {
  await server.make(
    '/apis/storage.k8s.io/v1/storageclasses',
    defaultClass('storage.k8s.io/v1', 'StorageClass', 'storageclass.kubernetes.io/is-default-class', {
      provisioner: 'p',
    }),
  );
  await server.make(
    '/apis/networking.k8s.io/v1/ingressclasses',
    defaultClass('networking.k8s.io/v1', 'IngressClass', 'ingressclass.kubernetes.io/is-default-class', {
      spec: { controller: 'example.com/c' },
    }),
  );
});

it.each<[string, string, object, (spec: { storageClassName?: string; ingressClassName?: string }) => unknown]>([
  [
    'a claim',
    paths.in('default', 'persistentvolumeclaims'),
    core('PersistentVolumeClaim', 'c', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }),
    ({ storageClassName }) => storageClassName,
  ],
  [
    'an ingress',
    paths.inGroup('networking.k8s.io', 'default', 'ingresses'),
    object('networking.k8s.io/v1', 'Ingress', 'i', {
      spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
    }),
    ({ ingressClassName }) => ingressClassName,
  ],
])('%s without a class gets the default one', async (_what, path, sent, classOf) => {
  // The informers of the plugins learn the classes a moment later.
  await expect
    .poll(async () => classOf((await server.ask('POST', `${path}?dryRun=All`, sent)).body.spec), { timeout: 30_000 })
    .toBe('usual');
});
