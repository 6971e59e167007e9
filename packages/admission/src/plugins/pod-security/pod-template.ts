import type { GroupResource, KubeObject } from '@apiserver/apimachinery';
import type { CheckedPod } from '../../pod-security/pod-containers.js';

/** The place of the template in an object of a resource. */
type TemplatePath = (object: TemplateHolder) => CheckedPod | undefined;

/** Kinds with a pod template, as far as it matters here. */
interface TemplateHolder extends KubeObject {
  readonly template?: CheckedPod;
  readonly spec?: { readonly template?: CheckedPod; readonly jobTemplate?: { readonly spec?: TemplateHolder['spec'] } };
}

const ofSpec: TemplatePath = ({ spec }) => spec?.template;
const ofPodTemplate: TemplatePath = ({ template }) => template;
const ofJobTemplate: TemplatePath = ({ spec }) => spec?.jobTemplate?.spec?.template;

/** The resources with pod templates, by group. Upstream: defaultPodSpecResources */
const TEMPLATES: Readonly<Record<string, Readonly<Record<string, TemplatePath>>>> = {
  '': { podtemplates: ofPodTemplate, replicationcontrollers: ofSpec },
  apps: { daemonsets: ofSpec, deployments: ofSpec, replicasets: ofSpec, statefulsets: ofSpec },
  batch: { cronjobs: ofJobTemplate, jobs: ofSpec },
};

/** Reports whether objects of a resource make pods from a template. */
export function hasTemplate({ group, resource }: GroupResource): boolean {
  return pathOf(group, resource) !== undefined;
}

/** The template of an object; undefined if it has none. */
export function templateOf({ group, resource }: GroupResource, object: KubeObject): CheckedPod | undefined {
  const template = pathOf(group, resource)?.(object);
  // Upstream's template is a struct with zero values where the object has none.
  return template && { ...template, spec: template.spec ?? { containers: [] } };
}

function pathOf(group: string, resource: string): TemplatePath | undefined {
  return Object.hasOwn(TEMPLATES, group) && Object.hasOwn(TEMPLATES[group] ?? {}, resource)
    ? TEMPLATES[group]?.[resource]
    : undefined;
}
