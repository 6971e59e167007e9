package main

import (
	"encoding/json"
	"errors"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	resourcev1beta1 "k8s.io/dynamic-resource-allocation/api/v1beta1"
	resourcev1beta2 "k8s.io/dynamic-resource-allocation/api/v1beta2"
)

// addConversions registers the conversions between versions whose fields differ. Those of devices are a module's; the
// others are rewritten here, because no module has them.
func addConversions(scheme *runtime.Scheme) error {
	return errors.Join(
		resourcev1beta1.RegisterConversions(scheme),
		resourcev1beta2.RegisterConversions(scheme),
		scheme.AddConversionFunc((*autoscalingv2.HorizontalPodAutoscaler)(nil), (*autoscalingv1.HorizontalPodAutoscaler)(nil), autoscalerToV1),
		scheme.AddConversionFunc((*autoscalingv1.HorizontalPodAutoscaler)(nil), (*autoscalingv2.HorizontalPodAutoscaler)(nil), autoscalerFromV1),
		scheme.AddConversionFunc((*corev1.Event)(nil), (*eventsv1.Event)(nil), eventFromCore),
		scheme.AddConversionFunc((*eventsv1.Event)(nil), (*corev1.Event)(nil), eventToCore),
	)
}

// hasConversion tells whether addConversions has the conversions of a kind's version.
func hasConversion(version schema.GroupVersion, kind string) bool {
	switch version.Group {
	case resourcev1.GroupName:
		return kind != "DeviceTaintRule" && kind != "DeviceTaintRuleList"
	case autoscalingv1.GroupName:
		return kind == "HorizontalPodAutoscaler"
	case eventsv1.GroupName:
		return kind == "Event" && version == eventsv1.SchemeGroupVersion
	}
	return false
}

func eventFromCore(from, to any, _ conversion.Scope) error {
	in, out := from.(*corev1.Event), to.(*eventsv1.Event)
	*out = eventsv1.Event{
		ObjectMeta:               in.ObjectMeta,
		EventTime:                in.EventTime,
		ReportingController:      in.ReportingController,
		ReportingInstance:        in.ReportingInstance,
		Action:                   in.Action,
		Reason:                   in.Reason,
		Regarding:                in.InvolvedObject,
		Related:                  in.Related,
		Note:                     in.Message,
		Type:                     in.Type,
		DeprecatedSource:         in.Source,
		DeprecatedFirstTimestamp: in.FirstTimestamp,
		DeprecatedLastTimestamp:  in.LastTimestamp,
		DeprecatedCount:          in.Count,
	}
	if in.Series != nil {
		out.Series = &eventsv1.EventSeries{Count: in.Series.Count, LastObservedTime: in.Series.LastObservedTime}
	}
	return nil
}

func eventToCore(from, to any, _ conversion.Scope) error {
	in, out := from.(*eventsv1.Event), to.(*corev1.Event)
	*out = corev1.Event{
		ObjectMeta:          in.ObjectMeta,
		InvolvedObject:      in.Regarding,
		Reason:              in.Reason,
		Message:             in.Note,
		Source:              in.DeprecatedSource,
		FirstTimestamp:      in.DeprecatedFirstTimestamp,
		LastTimestamp:       in.DeprecatedLastTimestamp,
		Count:               in.DeprecatedCount,
		Type:                in.Type,
		EventTime:           in.EventTime,
		Action:              in.Action,
		Related:             in.Related,
		ReportingController: in.ReportingController,
		ReportingInstance:   in.ReportingInstance,
	}
	if in.Series != nil {
		out.Series = &corev1.EventSeries{Count: in.Series.Count, LastObservedTime: in.Series.LastObservedTime}
	}
	return nil
}

const (
	metricsAnnotation        = "autoscaling.alpha.kubernetes.io/metrics"
	currentMetricsAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics"
	conditionsAnnotation     = "autoscaling.alpha.kubernetes.io/conditions"
	behaviorAnnotation       = "autoscaling.alpha.kubernetes.io/behavior"
)

// impliedShare is the share of CPU that version 1 aims at without another metric.
const impliedShare = 80

// annotatedBehavior has the names of the internal type, which kube-apiserver writes.
type annotatedBehavior struct {
	ScaleUp   *annotatedRules
	ScaleDown *annotatedRules
}

type annotatedRules struct {
	StabilizationWindowSeconds *int32
	SelectPolicy               *string
	Policies                   []annotatedPolicy
	Tolerance                  *resource.Quantity
}

type annotatedPolicy struct {
	Type          string
	Value         int32
	PeriodSeconds int32
}

func withoutRoundTrip(annotations map[string]string) map[string]string {
	kept := map[string]string{}
	for name, value := range annotations {
		switch name {
		case metricsAnnotation, currentMetricsAnnotation, conditionsAnnotation, behaviorAnnotation:
		case "autoscaling.alpha.kubernetes.io/scale-up-tolerance", "autoscaling.alpha.kubernetes.io/scale-down-tolerance":
		default:
			kept[name] = value
		}
	}
	return kept
}

func annotate[T any](annotations map[string]string, name string, values []T) error {
	if len(values) == 0 {
		return nil
	}
	text, err := json.Marshal(values)
	annotations[name] = string(text)
	return err
}

func isCPU(name corev1.ResourceName) bool { return name == corev1.ResourceCPU }

func autoscalerToV1(from, to any, _ conversion.Scope) error {
	in, out := from.(*autoscalingv2.HorizontalPodAutoscaler), to.(*autoscalingv1.HorizontalPodAutoscaler)
	out.ObjectMeta = in.ObjectMeta
	out.Annotations = withoutRoundTrip(in.Annotations)
	out.Spec = autoscalingv1.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv1.CrossVersionObjectReference(in.Spec.ScaleTargetRef),
		MinReplicas:    in.Spec.MinReplicas,
		MaxReplicas:    in.Spec.MaxReplicas,
	}
	out.Status = autoscalingv1.HorizontalPodAutoscalerStatus{
		ObservedGeneration: in.Status.ObservedGeneration,
		LastScaleTime:      in.Status.LastScaleTime,
		CurrentReplicas:    in.Status.CurrentReplicas,
		DesiredReplicas:    in.Status.DesiredReplicas,
	}
	others, hasTarget := []autoscalingv1.MetricSpec{}, false
	for _, metric := range in.Spec.Metrics {
		cpu := metric.Type == autoscalingv2.ResourceMetricSourceType && metric.Resource != nil && isCPU(metric.Resource.Name)
		if cpu && !hasTarget {
			out.Spec.TargetCPUUtilizationPercentage, hasTarget = metric.Resource.Target.AverageUtilization, true
		}
		if !cpu || metric.Resource.Target.AverageUtilization == nil {
			others = append(others, metricToV1(metric))
		}
	}
	current := []autoscalingv1.MetricStatus{}
	for _, metric := range in.Status.CurrentMetrics {
		current = append(current, measuredToV1(metric))
		cpu := metric.Type == autoscalingv2.ResourceMetricSourceType && metric.Resource != nil && isCPU(metric.Resource.Name)
		if cpu && metric.Resource.Current.AverageUtilization != nil {
			out.Status.CurrentCPUUtilizationPercentage = metric.Resource.Current.AverageUtilization
		}
	}
	conditions := []autoscalingv1.HorizontalPodAutoscalerCondition{}
	for _, one := range in.Status.Conditions {
		conditions = append(conditions, autoscalingv1.HorizontalPodAutoscalerCondition{
			Type: autoscalingv1.HorizontalPodAutoscalerConditionType(one.Type), Status: one.Status, LastTransitionTime: one.LastTransitionTime, Reason: one.Reason, Message: one.Message,
		})
	}
	if in.Spec.Behavior != nil {
		text, err := json.Marshal(annotatedBehavior{rulesToV1(in.Spec.Behavior.ScaleUp), rulesToV1(in.Spec.Behavior.ScaleDown)})
		if err != nil {
			return err
		}
		out.Annotations[behaviorAnnotation] = string(text)
	}
	return errors.Join(
		annotate(out.Annotations, metricsAnnotation, others),
		annotate(out.Annotations, currentMetricsAnnotation, current),
		annotate(out.Annotations, conditionsAnnotation, conditions),
	)
}

// readAnnotation reads an annotation; a broken one is none.
func readAnnotation[T any](annotations map[string]string, name string) T {
	var value T
	if err := json.Unmarshal([]byte(annotations[name]), &value); err != nil {
		var none T
		return none
	}
	return value
}

func autoscalerFromV1(from, to any, _ conversion.Scope) error {
	in, out := from.(*autoscalingv1.HorizontalPodAutoscaler), to.(*autoscalingv2.HorizontalPodAutoscaler)
	out.ObjectMeta = in.ObjectMeta
	out.Annotations = withoutRoundTrip(in.Annotations)
	out.Spec = autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference(in.Spec.ScaleTargetRef),
		MinReplicas:    in.Spec.MinReplicas,
		MaxReplicas:    in.Spec.MaxReplicas,
	}
	out.Status = autoscalingv2.HorizontalPodAutoscalerStatus{
		ObservedGeneration: in.Status.ObservedGeneration,
		LastScaleTime:      in.Status.LastScaleTime,
		CurrentReplicas:    in.Status.CurrentReplicas,
		DesiredReplicas:    in.Status.DesiredReplicas,
	}
	for _, metric := range readAnnotation[[]autoscalingv1.MetricSpec](in.Annotations, metricsAnnotation) {
		out.Spec.Metrics = append(out.Spec.Metrics, metricFromV1(metric))
	}
	target := in.Spec.TargetCPUUtilizationPercentage
	if target == nil && len(out.Spec.Metrics) == 0 {
		implied := int32(impliedShare)
		target = &implied
	}
	if target != nil {
		out.Spec.Metrics = append(out.Spec.Metrics, autoscalingv2.MetricSpec{
			Type: autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricSource{
				Name:   corev1.ResourceCPU,
				Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: target},
			},
		})
	}
	if behavior := readAnnotation[annotatedBehavior](in.Annotations, behaviorAnnotation); behavior != (annotatedBehavior{}) {
		out.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{
			ScaleUp: rulesFromV1(behavior.ScaleUp), ScaleDown: rulesFromV1(behavior.ScaleDown),
		}
	}
	for _, metric := range readAnnotation[[]autoscalingv1.MetricStatus](in.Annotations, currentMetricsAnnotation) {
		out.Status.CurrentMetrics = append(out.Status.CurrentMetrics, measuredFromV1(metric))
	}
	if share := in.Status.CurrentCPUUtilizationPercentage; share != nil && len(out.Status.CurrentMetrics) == 0 {
		out.Status.CurrentMetrics = []autoscalingv2.MetricStatus{{
			Type: autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricStatus{
				Name: corev1.ResourceCPU, Current: autoscalingv2.MetricValueStatus{AverageUtilization: share},
			},
		}}
	}
	for _, one := range readAnnotation[[]autoscalingv1.HorizontalPodAutoscalerCondition](in.Annotations, conditionsAnnotation) {
		out.Status.Conditions = append(out.Status.Conditions, autoscalingv2.HorizontalPodAutoscalerCondition{
			Type: autoscalingv2.HorizontalPodAutoscalerConditionType(one.Type), Status: one.Status, LastTransitionTime: one.LastTransitionTime, Reason: one.Reason, Message: one.Message,
		})
	}
	return nil
}

func rulesToV1(rules *autoscalingv2.HPAScalingRules) *annotatedRules {
	if rules == nil {
		return nil
	}
	out := &annotatedRules{rules.StabilizationWindowSeconds, (*string)(rules.SelectPolicy), nil, rules.Tolerance}
	for _, policy := range rules.Policies {
		out.Policies = append(out.Policies, annotatedPolicy{string(policy.Type), policy.Value, policy.PeriodSeconds})
	}
	return out
}

func rulesFromV1(rules *annotatedRules) *autoscalingv2.HPAScalingRules {
	if rules == nil {
		return nil
	}
	out := &autoscalingv2.HPAScalingRules{
		StabilizationWindowSeconds: rules.StabilizationWindowSeconds,
		SelectPolicy:               (*autoscalingv2.ScalingPolicySelect)(rules.SelectPolicy),
		Tolerance:                  rules.Tolerance,
	}
	for _, policy := range rules.Policies {
		out.Policies = append(out.Policies, autoscalingv2.HPAScalingPolicy{
			Type: autoscalingv2.HPAScalingPolicyType(policy.Type), Value: policy.Value, PeriodSeconds: policy.PeriodSeconds,
		})
	}
	return out
}

func amount(quantity *resource.Quantity) resource.Quantity {
	if quantity == nil {
		return resource.Quantity{}
	}
	return *quantity
}

func metricToV1(in autoscalingv2.MetricSpec) autoscalingv1.MetricSpec {
	out := autoscalingv1.MetricSpec{Type: autoscalingv1.MetricSourceType(in.Type)}
	if one := in.Object; one != nil {
		out.Object = &autoscalingv1.ObjectMetricSource{
			Target: autoscalingv1.CrossVersionObjectReference(one.DescribedObject), MetricName: one.Metric.Name, Selector: one.Metric.Selector,
			TargetValue: amount(one.Target.Value), AverageValue: one.Target.AverageValue,
		}
	}
	if one := in.Pods; one != nil {
		out.Pods = &autoscalingv1.PodsMetricSource{
			MetricName: one.Metric.Name, Selector: one.Metric.Selector, TargetAverageValue: amount(one.Target.AverageValue),
		}
	}
	if one := in.Resource; one != nil {
		out.Resource = &autoscalingv1.ResourceMetricSource{
			Name: one.Name, TargetAverageUtilization: one.Target.AverageUtilization, TargetAverageValue: one.Target.AverageValue,
		}
	}
	if one := in.ContainerResource; one != nil {
		out.ContainerResource = &autoscalingv1.ContainerResourceMetricSource{
			Name: one.Name, Container: one.Container,
			TargetAverageUtilization: one.Target.AverageUtilization, TargetAverageValue: one.Target.AverageValue,
		}
	}
	if one := in.External; one != nil {
		out.External = &autoscalingv1.ExternalMetricSource{
			MetricName: one.Metric.Name, MetricSelector: one.Metric.Selector,
			TargetValue: one.Target.Value, TargetAverageValue: one.Target.AverageValue,
		}
	}
	return out
}

func identifier(name string, selector *metav1.LabelSelector) autoscalingv2.MetricIdentifier {
	return autoscalingv2.MetricIdentifier{Name: name, Selector: selector}
}

func usage(share *int32, average *resource.Quantity) autoscalingv2.MetricTarget {
	target := autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: average, AverageUtilization: share}
	if share != nil {
		target.Type = autoscalingv2.UtilizationMetricType
	}
	return target
}

func metricFromV1(in autoscalingv1.MetricSpec) autoscalingv2.MetricSpec {
	out := autoscalingv2.MetricSpec{Type: autoscalingv2.MetricSourceType(in.Type)}
	if one := in.Object; one != nil {
		target := autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: &one.TargetValue}
		if one.AverageValue != nil {
			target.Type, target.AverageValue = autoscalingv2.AverageValueMetricType, one.AverageValue
			if one.TargetValue.IsZero() {
				target.Value = nil
			}
		}
		out.Object = &autoscalingv2.ObjectMetricSource{
			DescribedObject: autoscalingv2.CrossVersionObjectReference(one.Target), Metric: identifier(one.MetricName, one.Selector), Target: target,
		}
	}
	if one := in.Pods; one != nil {
		out.Pods = &autoscalingv2.PodsMetricSource{
			Metric: identifier(one.MetricName, one.Selector), Target: usage(nil, &one.TargetAverageValue),
		}
	}
	if one := in.Resource; one != nil {
		out.Resource = &autoscalingv2.ResourceMetricSource{
			Name: one.Name, Target: usage(one.TargetAverageUtilization, one.TargetAverageValue),
		}
	}
	if one := in.ContainerResource; one != nil {
		out.ContainerResource = &autoscalingv2.ContainerResourceMetricSource{
			Name: one.Name, Container: one.Container, Target: usage(one.TargetAverageUtilization, one.TargetAverageValue),
		}
	}
	if one := in.External; one != nil {
		target := autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, Value: one.TargetValue, AverageValue: one.TargetAverageValue}
		if one.TargetValue != nil {
			target.Type = autoscalingv2.ValueMetricType
		}
		out.External = &autoscalingv2.ExternalMetricSource{Metric: identifier(one.MetricName, one.MetricSelector), Target: target}
	}
	return out
}

func measuredToV1(in autoscalingv2.MetricStatus) autoscalingv1.MetricStatus {
	out := autoscalingv1.MetricStatus{Type: autoscalingv1.MetricSourceType(in.Type)}
	if one := in.Object; one != nil {
		out.Object = &autoscalingv1.ObjectMetricStatus{
			Target: autoscalingv1.CrossVersionObjectReference(one.DescribedObject), MetricName: one.Metric.Name, Selector: one.Metric.Selector,
			CurrentValue: amount(one.Current.Value), AverageValue: one.Current.AverageValue,
		}
	}
	if one := in.Pods; one != nil {
		out.Pods = &autoscalingv1.PodsMetricStatus{
			MetricName: one.Metric.Name, Selector: one.Metric.Selector, CurrentAverageValue: amount(one.Current.AverageValue),
		}
	}
	if one := in.Resource; one != nil {
		out.Resource = &autoscalingv1.ResourceMetricStatus{
			Name: one.Name, CurrentAverageUtilization: one.Current.AverageUtilization, CurrentAverageValue: amount(one.Current.AverageValue),
		}
	}
	if one := in.ContainerResource; one != nil {
		out.ContainerResource = &autoscalingv1.ContainerResourceMetricStatus{
			Name: one.Name, Container: one.Container,
			CurrentAverageUtilization: one.Current.AverageUtilization, CurrentAverageValue: amount(one.Current.AverageValue),
		}
	}
	if one := in.External; one != nil {
		out.External = &autoscalingv1.ExternalMetricStatus{
			MetricName: one.Metric.Name, MetricSelector: one.Metric.Selector,
			CurrentValue: amount(one.Current.Value), CurrentAverageValue: one.Current.AverageValue,
		}
	}
	return out
}

func measuredFromV1(in autoscalingv1.MetricStatus) autoscalingv2.MetricStatus {
	out := autoscalingv2.MetricStatus{Type: autoscalingv2.MetricSourceType(in.Type)}
	if one := in.Object; one != nil {
		out.Object = &autoscalingv2.ObjectMetricStatus{
			DescribedObject: autoscalingv2.CrossVersionObjectReference(one.Target), Metric: identifier(one.MetricName, one.Selector),
			Current: autoscalingv2.MetricValueStatus{Value: &one.CurrentValue, AverageValue: one.AverageValue},
		}
	}
	if one := in.Pods; one != nil {
		out.Pods = &autoscalingv2.PodsMetricStatus{
			Metric: identifier(one.MetricName, one.Selector), Current: autoscalingv2.MetricValueStatus{AverageValue: &one.CurrentAverageValue},
		}
	}
	if one := in.Resource; one != nil {
		out.Resource = &autoscalingv2.ResourceMetricStatus{
			Name: one.Name, Current: autoscalingv2.MetricValueStatus{AverageValue: &one.CurrentAverageValue, AverageUtilization: one.CurrentAverageUtilization},
		}
	}
	if one := in.ContainerResource; one != nil {
		out.ContainerResource = &autoscalingv2.ContainerResourceMetricStatus{
			Name: one.Name, Container: one.Container,
			Current: autoscalingv2.MetricValueStatus{AverageValue: &one.CurrentAverageValue, AverageUtilization: one.CurrentAverageUtilization},
		}
	}
	if one := in.External; one != nil {
		out.External = &autoscalingv2.ExternalMetricStatus{
			Metric:  identifier(one.MetricName, one.MetricSelector),
			Current: autoscalingv2.MetricValueStatus{Value: &one.CurrentValue, AverageValue: one.CurrentAverageValue},
		}
	}
	return out
}
