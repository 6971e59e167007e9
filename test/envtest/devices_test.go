package envtest

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const deviceDriver = "gpu.example.com"

// offerDevice publishes one device of a class, as a driver on a node does.
func offerDevice(t *testing.T, client kubernetes.Interface, node string) {
	t.Helper()
	ctx, create := t.Context(), metav1.CreateOptions{}
	name := metav1.ObjectMeta{Name: node}
	class := &resourcev1.DeviceClass{ObjectMeta: name, Spec: resourcev1.DeviceClassSpec{
		Selectors: []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "gpu.example.com"`}}},
	}}
	if _, err := client.ResourceV1().DeviceClasses().Create(ctx, class, create); err != nil {
		t.Fatal(err)
	}
	slice := &resourcev1.ResourceSlice{ObjectMeta: name, Spec: resourcev1.ResourceSliceSpec{
		Driver: deviceDriver, NodeName: &node, Pool: resourcev1.ResourcePool{Name: node, ResourceSliceCount: 1},
		Devices: []resourcev1.Device{{
			Name:     "gpu-0",
			Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("1Gi")}},
			Taints:   []resourcev1.DeviceTaint{{Key: "example.com/new", Effect: resourcev1.DeviceTaintEffectNone}},
		}},
	}}
	made, err := client.ResourceV1().ResourceSlices().Create(ctx, slice, create)
	if err != nil {
		t.Fatal(err)
	}
	if made.Generation != 1 || made.Spec.Devices[0].Taints[0].TimeAdded == nil {
		t.Errorf("slice %+v", made)
	}
	t.Cleanup(func() {
		_ = client.ResourceV1().DeviceClasses().Delete(t.Context(), node, metav1.DeleteOptions{})
		_ = client.ResourceV1().ResourceSlices().Delete(t.Context(), node, metav1.DeleteOptions{})
	})
}

// TestSchedulerAllocatesDevices does over protobuf what kube-scheduler and a driver do with a claim: it is found by the node
// of its devices, kept by a finalizer, allocated, reserved, reported of, and given back.
func TestSchedulerAllocatesDevices(t *testing.T) {
	ctx, namespace := t.Context(), newNamespace(t)
	client := kubernetes.NewForConfigOrDie(overProtobuf())
	offerDevice(t, client, "allocating")
	found, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=allocating"})
	if err != nil || len(found.Items) != 1 {
		t.Fatalf("%d slices, %v", len(found.Items), err)
	}
	claims := client.ResourceV1().ResourceClaims(namespace)
	claim, err := claims.Create(ctx, &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "one"},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
			Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "allocating"},
		}}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if request := claim.Spec.Devices.Requests[0].Exactly; request.Count != 1 || request.AllocationMode != resourcev1.DeviceAllocationModeExactCount {
		t.Errorf("request %+v", request)
	}
	claim.Finalizers = []string{resourcev1.Finalizer}
	if claim, err = claims.Update(ctx, claim, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	claim.Status.Allocation = allocationOn("allocating")
	claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "p", UID: types.UID("1")}}
	if claim, err = claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	claim.Status.Devices = []resourcev1.AllocatedDeviceStatus{{
		Driver: deviceDriver, Pool: "allocating", Device: "gpu-0",
		NetworkData: &resourcev1.NetworkDeviceData{InterfaceName: "eth0", IPs: []string{"10.9.8.7/24"}},
	}}
	if claim, err = claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	claim.Status = resourcev1.ResourceClaimStatus{Devices: claim.Status.Devices}
	if claim, err = claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{}); err != nil || len(claim.Status.Devices) != 0 {
		t.Errorf("given back: %+v, %v", claim.Status, err)
	}
	if err := claims.Delete(ctx, "one", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if claim, err = claims.Get(ctx, "one", metav1.GetOptions{}); err != nil || claim.DeletionTimestamp == nil {
		t.Fatalf("deleted with a finalizer: %+v, %v", claim, err)
	}
	claim.Finalizers = nil
	if _, err := claims.Update(ctx, claim, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := claims.Get(ctx, "one", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after the last finalizer: %v", err)
	}
}

func allocationOn(node string) *resourcev1.AllocationResult {
	field := corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}
	term := corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{field}}
	result := resourcev1.DeviceRequestAllocationResult{Request: "gpu", Driver: deviceDriver, Pool: node, Device: "gpu-0"}
	return &resourcev1.AllocationResult{
		Devices:      resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{result}},
		NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}},
	}
}

// TestAdminAccessNeedsALabel asks for devices that others use.
func TestAdminAccessNeedsALabel(t *testing.T) {
	ctx, namespace := t.Context(), newNamespace(t)
	client := kubernetes.NewForConfigOrDie(overProtobuf())
	yes := true
	request := &resourcev1.ExactDeviceRequest{DeviceClassName: "any", AdminAccess: &yes}
	claim := &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "all"},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{
			Requests: []resourcev1.DeviceRequest{{Name: "r", Exactly: request}},
		}},
	}
	_, err := client.ResourceV1().ResourceClaims(namespace).Create(ctx, claim, metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires") {
		t.Errorf("without the label: %v", err)
	}
	label := []byte(`{"metadata":{"labels":{"resource.kubernetes.io/admin-access":"true"}}}`)
	if _, err := client.CoreV1().Namespaces().Patch(ctx, namespace, types.MergePatchType, label, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.ResourceV1().ResourceClaims(namespace).Create(ctx, claim, metav1.CreateOptions{}); err != nil {
		t.Errorf("with the label: %v", err)
	}
}

// TestVolumeAttachmentIsReported does what the attach controller and a driver do.
func TestVolumeAttachmentIsReported(t *testing.T) {
	ctx := t.Context()
	attachments := kubernetes.NewForConfigOrDie(overProtobuf()).StorageV1().VolumeAttachments()
	volume := "volume"
	made, err := attachments.Create(ctx, &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: "attached"},
		Spec: storagev1.VolumeAttachmentSpec{
			Attacher: "csi.example.com", NodeName: "n", Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume},
		},
		Status: storagev1.VolumeAttachmentStatus{Attached: true},
	}, metav1.CreateOptions{})
	if err != nil || made.Status.Attached {
		t.Fatalf("%+v, %v", made, err)
	}
	made.Status.Attached = true
	if made, err = attachments.UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil || !made.Status.Attached {
		t.Errorf("status %+v, %v", made.Status, err)
	}
	made.Spec.NodeName = "m"
	if _, err := attachments.Update(ctx, made, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("another node: %v", err)
	}
	if err := attachments.Delete(ctx, "attached", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}
