import type { Ingress, IngressClass } from '@apiserver/api/networking/v1';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { admittedObject } from '../../admitted-object.js';
import { handlesMain } from '../../endpoint.js';
import type { AdmissionPluginDependencies } from '../../plugin-definition.js';
import { ViewReadiness } from '../../view-readiness.js';
import { newestDefault } from './newest-default.js';

const INGRESS_CLASSES = { group: 'networking.k8s.io', version: 'v1', resource: 'ingressclasses' };
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const DEFAULT_ANNOTATION = 'ingressclass.kubernetes.io/is-default-class';

/** Sets the default class on an ingress without a class. Upstream: plugin/pkg/admission/network/defaultingressclass */
export function defaultIngressClass({ informer }: Pick<AdmissionPluginDependencies, 'informer'>): AdmissionPlugin {
  const classes = informer<IngressClass>(INGRESS_CLASSES);
  const view = new ViewReadiness(classes);
  return {
    name: 'DefaultIngressClass',
    handles: handlesMain({ group: 'networking.k8s.io', resource: 'ingresses' }, 'CREATE'),
    async admit(attributes) {
      const { metadata, spec } = admittedObject<Ingress>(attributes);
      if (spec.ingressClassName !== undefined || metadata.annotations?.[CLASS_ANNOTATION] !== undefined) return;
      await view.ready(attributes);
      const name = newestDefault(classes.list(), [DEFAULT_ANNOTATION])?.metadata.name;
      if (name !== undefined) spec.ingressClassName = name;
    },
  };
}
