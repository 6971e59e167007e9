import assert from 'node:assert/strict';
import type { Fixtures } from './fixtures.ts';

const webhook = 'admission webhook "validation.gatekeeper.sh" denied the request: ';

/** They follow Gatekeeper's test/bats/test.bats, without its steps inside of pods; each may rely on those before it. */
export const checks: Readonly<Record<string, (fixtures: Fixtures) => Promise<void>>> = {
  'AssignMetadata adds a label': async (fixtures) => {
    await fixtures.apply('mutations/k8sownerlabel_assignmetadata.yaml');
    await fixtures.enforced('assignmetadata/k8sownerlabel');
    await fixtures.apply('mutations/mutate_cm.yaml');
    assert.equal(await fixtures.field('configmap/mutate-cm', '.metadata.labels.owner'), 'gatekeeper');
  },

  'Assign takes external addresses from a Service': async (fixtures) => {
    await fixtures.apply('mutations/k8sexternalip_assign.yaml');
    await fixtures.enforced('assign/k8sexternalip');
    await fixtures.apply('mutations/mutate_svc.yaml');
    assert.equal(await fixtures.field('service/mutate-svc', '.spec.externalIPs'), '');
  },

  'AssignImage replaces the image of a Pod until it is deleted': async (fixtures) => {
    const image = () => fixtures.field('pod/nginx-test-pod', '.spec.containers[0].image');
    await fixtures.apply('mutations/assign_image.yaml');
    await fixtures.enforced('assignimage/add-domain-digest');
    await fixtures.apply('mutations/nginx_pod.yaml');
    assert.equal(await image(), 'foocorp.org/nginx@sha256:abcde67890123456789abc345678901a');
    await fixtures.remove('assignimage/add-domain-digest');
    await fixtures.remove('pod/nginx-test-pod', '--force');
    await fixtures.apply('mutations/nginx_pod.yaml');
    assert.equal(await image(), 'nginx:latest');
  },

  'a namespace that is not exempt cannot be ignored': async (fixtures) => {
    await fixtures.refuse(
      'bad/ignore_label_ns.yaml',
      /admission webhook "check-ignore-label.gatekeeper.sh" denied the request: Only exempt namespace can have the admission.gatekeeper.sh\/ignore label/,
    );
  },

  'a constraint in Rego refuses a ConfigMap': async (fixtures) => {
    await fixtures.apply('good/playground_ns.yaml');
    await fixtures.apply('templates/k8srequiredlabels_template.yaml');
    await fixtures.applyConstraint('constraints/all_cm_must_have_gatekeeper.yaml');
    await fixtures.enforced('k8srequiredlabels/cm-must-have-gk');
    await fixtures.apply('good/good_cm.yaml');
    await fixtures.refuse(
      'bad/bad_cm.yaml',
      new RegExp(`\\(Forbidden\\).*${webhook}\\[cm-must-have-gk\\] you must provide labels: {"gatekeeper"}`),
    );
  },

  'the constraint warns': async (fixtures) => {
    await fixtures.apply('constraints/all_cm_must_have_gatekeeper-warn.yaml');
    await fixtures.enforced('k8srequiredlabels/cm-must-have-gk');
    assert.match(
      await fixtures.apply('bad/bad_cm.yaml'),
      /Warning: \[cm-must-have-gk\] you must provide labels: {"gatekeeper"}/,
    );
    await fixtures.remove('configmap/bad-cm', '-n', 'gatekeeper-test-playground');
  },

  'the constraint in its dry run does nothing': async (fixtures) => {
    await fixtures.apply('constraints/all_cm_must_have_gatekeeper-dryrun.yaml');
    await fixtures.enforced('k8srequiredlabels/cm-must-have-gk');
    assert.doesNotMatch(await fixtures.apply('bad/bad_cm.yaml'), /Warning/);
  },

  'a constraint in Rego refuses a Pod without limits': async (fixtures) => {
    await fixtures.apply('templates/k8scontainterlimits_template.yaml');
    await fixtures.applyConstraint('constraints/containers_must_be_limited.yaml');
    await fixtures.enforced('k8scontainerlimits/container-must-have-limits');
    await fixtures.refuse(
      'bad/opa_no_limits.yaml',
      /\(Forbidden\).*\[container-must-have-limits\] container <opa> has no /,
    );
    await fixtures.apply('good/opa.yaml');
  },

  'a constraint in CEL reads the namespace': async (fixtures) => {
    await fixtures.apply('good/ns_with_env_label.yaml');
    await fixtures.apply('bad/ns_without_env_label.yaml');
    await fixtures.apply('templates/k8snamespacelabelcheck_template_cel.yaml');
    await fixtures.applyConstraint('constraints/ns_must_have_env_label_cel.yaml');
    await fixtures.enforced('k8snamespacelabelcheckcel/ns-must-have-env-label-cel');
    await fixtures.apply('good/cm_in_labeled_ns.yaml');
    await fixtures.refuse(
      'bad/cm_in_unlabeled_ns.yaml',
      /Namespace 'ns-without-env-label' does not have required label: environment/,
    );
  },

  'a ValidatingAdmissionPolicy that Gatekeeper makes refuses a Namespace': async (fixtures) => {
    await fixtures.apply('templates/k8srequiredlabels_template_vap.yaml');
    await fixtures.exists('validatingadmissionpolicy/gatekeeper-k8srequiredlabelsvap');
    await fixtures.applyConstraint('constraints/all_ns_must_have_label_provided_vapbinding.yaml');
    await fixtures.exists('validatingadmissionpolicybinding/gatekeeper-k8srequiredlabelsvap-all-must-have-label');
    await fixtures.refuse(
      'bad/bad_ns.yaml',
      /ValidatingAdmissionPolicy 'gatekeeper-k8srequiredlabelsvap' with binding 'gatekeeper-k8srequiredlabelsvap-all-must-have-label' denied request: missing required label, requires all of: owner/,
    );
    await fixtures.apply('good/good_ns.yaml');
  },
};
