package main

import (
	"encoding/json"
	"math"
	"strconv"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"
	"k8s.io/component-base/featuregate"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/features"
)

// askHistogram has the histogram of some values in protobuf, without its time of creation.
func askHistogram(question json.RawMessage) (any, error) {
	var asked struct {
		Values []string  `json:"values"`
		Bounds []float64 `json:"bounds"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	features.ApplyFeatureGates(nativeGate{})
	registry := metrics.NewKubeRegistry()
	histogram := metrics.NewHistogram(&metrics.HistogramOpts{Name: "h", Help: "H.", Buckets: asked.Bounds, StabilityLevel: metrics.ALPHA})
	registry.MustRegister(histogram)
	for _, text := range asked.Values {
		value, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(value, 0) {
			return nil, err
		}
		histogram.Observe(value)
	}
	families, err := registry.Gather()
	if err != nil {
		return nil, err
	}
	var own *dto.MetricFamily
	for _, family := range families {
		if family.GetName() == "h" {
			own = family
		}
	}
	for _, metric := range own.Metric {
		metric.Histogram.CreatedTimestamp = nil
	}
	bytes, err := proto.MarshalOptions{Deterministic: true}.Marshal(own)
	return bytes, err
}

// nativeGate has native histograms.
type nativeGate struct{ featuregate.FeatureGate }

func (nativeGate) Enabled(featuregate.Feature) bool { return true }
