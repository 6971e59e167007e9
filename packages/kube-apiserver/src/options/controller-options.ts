import { type FlagSet, field } from '@apiserver/component-base/flags';
import { controllerNames, enabledControllers, validateControllers } from '@apiserver/controllers';

/**
 * Controllers that run beside the API. Upstream runs them in kube-controller-manager, whose flag this is.
 * Upstream: k8s.io/controller-manager/options.GenericControllerManagerConfigurationOptions
 */
export class ControllerOptions {
  /** `--controllers`: none by default. */
  controllers: readonly string[] = [];

  addFlags(flags: FlagSet): void {
    flags.stringSlice(
      'controllers',
      field(this, 'controllers'),
      `Controllers of kube-controller-manager to run in this server: '*' enables all that are on by default, 'foo' enables the one of that name, '-foo' disables it. They pause while a kube-controller-manager holds its lease. Of several servers on one etcd, one runs them. Default: none. All: ${controllerNames.join(', ')}.`,
    );
  }

  validate(): readonly Error[] {
    return validateControllers(this.controllers).map((message) => new Error(message));
  }

  /** The names of the enabled controllers. Call `validate` first. */
  get enabled(): readonly string[] {
    return enabledControllers(this.controllers);
  }
}
