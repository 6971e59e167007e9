package main

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// podDecision is the result of a level and version.
type podDecision struct {
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason"`
	Detail  string `json:"detail"`
}

func askPodSecurity(question json.RawMessage) (any, error) {
	var asked struct {
		Pod corev1.Pod `json:"pod"`
		// Levels are a level and a version each.
		Levels [][2]string `json:"levels"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return nil, err
	}
	decisions := []podDecision{}
	for _, one := range asked.Levels {
		version, err := api.ParseVersion(one[1])
		if err != nil {
			return nil, err
		}
		level := api.LevelVersion{Level: api.Level(one[0]), Version: version}
		result := policy.AggregateCheckResults(evaluator.EvaluatePod(level, &asked.Pod.ObjectMeta, &asked.Pod.Spec))
		decisions = append(decisions, podDecision{result.Allowed, result.ForbiddenReason(), result.ForbiddenDetail()})
	}
	return decisions, nil
}
