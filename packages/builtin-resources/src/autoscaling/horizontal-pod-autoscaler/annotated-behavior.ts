import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '@apiserver/api/autoscaling/v2';

/** Rules with the field names of upstream's internal type. */
interface AnnotatedRules {
  readonly StabilizationWindowSeconds?: number | null;
  readonly SelectPolicy?: string | null;
  readonly Policies?:
    | readonly { readonly Type: string; readonly Value: number; readonly PeriodSeconds: number }[]
    | null;
  readonly Tolerance?: string | null;
}

interface AnnotatedBehavior {
  readonly ScaleUp?: AnnotatedRules | null;
  readonly ScaleDown?: AnnotatedRules | null;
}

/** Converts a behavior to the form in version 1's annotation. */
export function toAnnotatedBehavior({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): AnnotatedBehavior {
  return { ScaleUp: scaleUp ? toAnnotated(scaleUp) : null, ScaleDown: scaleDown ? toAnnotated(scaleDown) : null };
}

function toAnnotated(rules: HPAScalingRules): AnnotatedRules {
  const policies = rules.policies?.map(({ type, value, periodSeconds }) => ({
    Type: type,
    Value: value,
    PeriodSeconds: periodSeconds,
  }));
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies: policies ?? null,
    Tolerance: rules.tolerance ?? null,
  };
}

/** Parses the behavior of an annotation; undefined if it has none. */
export function fromAnnotatedBehavior(
  annotated: AnnotatedBehavior | undefined,
): HorizontalPodAutoscalerBehavior | undefined {
  const { ScaleUp, ScaleDown } = annotated ?? {};
  if (!ScaleUp && !ScaleDown) return undefined;
  return {
    ...(ScaleUp && { scaleUp: fromAnnotated(ScaleUp) }),
    ...(ScaleDown && { scaleDown: fromAnnotated(ScaleDown) }),
  };
}

function fromAnnotated(rules: AnnotatedRules): HPAScalingRules {
  const { StabilizationWindowSeconds: seconds, SelectPolicy, Policies, Tolerance } = rules;
  const policies = (Policies ?? []).map(({ Type, Value, PeriodSeconds }) => ({
    type: Type,
    value: Value,
    periodSeconds: PeriodSeconds,
  }));
  return {
    ...(typeof seconds === 'number' && { stabilizationWindowSeconds: seconds }),
    ...(typeof SelectPolicy === 'string' && { selectPolicy: SelectPolicy }),
    ...(policies.length > 0 && { policies }),
    ...(typeof Tolerance === 'string' && { tolerance: Tolerance }),
  };
}
