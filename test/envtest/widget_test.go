package envtest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var widgetVersion = schema.GroupVersion{Group: "shop.example.com", Version: "v1"}

// Widget is the custom resource of testdata/widgets.yaml, as an operator would declare it.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WidgetSpec   `json:"spec"`
	Status WidgetStatus `json:"status,omitempty"`
}

type WidgetSpec struct {
	Size   int    `json:"size"`
	Colour string `json:"colour,omitempty"`
}

type WidgetStatus struct {
	Ready              bool  `json:"ready,omitempty"`
	ObservedSize       int   `json:"observedSize,omitempty"`
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Widget `json:"items"`
}

func (w *Widget) DeepCopyObject() runtime.Object {
	copied := *w
	copied.ObjectMeta = *w.ObjectMeta.DeepCopy()
	return &copied
}

func (l *WidgetList) DeepCopyObject() runtime.Object {
	copied := *l
	copied.ListMeta = *l.ListMeta.DeepCopy()
	copied.Items = make([]Widget, len(l.Items))
	for i := range l.Items {
		copied.Items[i] = *l.Items[i].DeepCopyObject().(*Widget)
	}
	return &copied
}

func addWidgets(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(widgetVersion, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, widgetVersion)
	return nil
}
