"""Outputs of `kubectl describe` and `kubectl get` in the layout of kubectl 1.34 and 1.36."""

POD = """\
Name:                ollama-7ccfbb9764-bbbbc
Namespace:           ai
Priority:            0
Runtime Class Name:  nvidia
Service Account:     default
Node:                gpu-1/10.0.0.11
Start Time:          Fri, 27 Nov 2026 10:00:00 +0000
Labels:              app=ollama
                     pod-template-hash=7ccfbb9764
Annotations:         <none>
Status:              Pending
IP:
IPs:                 <none>
Controlled By:       ReplicaSet/ollama-7ccfbb9764
Containers:
  ollama:
    Container ID:
    Image:          ollama/ollama:0.13.0
    Image ID:
    Port:           11434/TCP
    Host Port:      0/TCP
    State:          Waiting
      Reason:       CreateContainerError
    Last State:     Terminated
      Reason:       Error
      Exit Code:    1
      Started:      Fri, 27 Nov 2026 09:00:00 +0000
      Finished:     Fri, 27 Nov 2026 09:10:00 +0000
    Ready:          False
    Restart Count:  3
    Limits:
      memory:          8Gi
      nvidia.com/gpu:  1
    Requests:
      memory:          8Gi
      nvidia.com/gpu:  1
    Environment:
      NVIDIA_VISIBLE_DEVICES:  all
      TOKEN:                   <set to the key 'token' in secret 'ollama'>  Optional: false
      POD_NAME:                ollama-7ccfbb9764-bbbbc (v1:metadata.name)
    Mounts:
      /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-abcde (ro)
Conditions:
  Type                        Status
  PodReadyToStartContainers   True
  Initialized                 True
  Ready                       False
  ContainersReady             False
  PodScheduled                True
Volumes:
  kube-api-access-abcde:
    Type:                    Projected (a volume that contains injected data from multiple sources)
    TokenExpirationSeconds:  3607
QoS Class:                   Burstable
Node-Selectors:              nvidia.com/gpu.present=true
Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                             nvidia.com/gpu=present:NoSchedule
Events:
  Type     Reason     Age                From               Message
  ----     ------     ----               ----               -------
  Normal   Scheduled  2m                 default-scheduler  Successfully assigned ai/ollama-7ccfbb9764-bbbbc to gpu-1
  Warning  Failed     5s (x8 over 2m)    kubelet            spec.containers{ollama}: Error: failed to create containerd container: CDI device injection failed: unresolvable CDI devices k8s.device-plugin.nvidia.com/gpu=GPU-11111111-2222-3333-4444-555555555555
"""

NODE = """\
Name:               gpu-1
Roles:              <none>
Labels:             kubernetes.io/hostname=gpu-1
                    extensions.talos.dev/nvidia-container-toolkit-lts=580.126.20-v1.19.0
                    extensions.talos.dev/nvidia-open-gpu-kernel-modules-lts=580.126.20-v1.13.2
Annotations:        node.alpha.kubernetes.io/ttl: 0
CreationTimestamp:  Fri, 20 Nov 2026 10:00:00 +0000
Taints:             nvidia.com/gpu=present:NoSchedule
                    node.kubernetes.io/unschedulable:NoSchedule
Unschedulable:      true
Lease:
  HolderIdentity:  gpu-1
  AcquireTime:     <unset>
  RenewTime:       Fri, 27 Nov 2026 10:00:00 +0000
Conditions:
  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                       Message
  ----             ------  -----------------                 ------------------                ------                       -------
  MemoryPressure   False   Fri, 27 Nov 2026 10:00:00 +0000   Fri, 20 Nov 2026 10:00:00 +0000   KubeletHasSufficientMemory   kubelet has sufficient memory available
  Ready            True    Fri, 27 Nov 2026 10:00:00 +0000   Fri, 20 Nov 2026 10:00:00 +0000   KubeletReady                 kubelet is posting ready status
Addresses:
  InternalIP:  10.0.0.11
  Hostname:    gpu-1
Capacity:
  cpu:                16
  memory:             65000000Ki
  nvidia.com/gpu:     1
Allocatable:
  cpu:                15950m
  memory:             64000000Ki
  nvidia.com/gpu:     0
System Info:
  Machine ID:                 abc
  Kernel Version:             6.18.1-talos
  OS Image:                   Talos (v1.13.2)
  Operating System:           linux
  Architecture:               amd64
  Container Runtime Version:  containerd://2.2.9
  Kubelet Version:            v1.36.3
PodCIDR:                      10.244.1.0/24
Non-terminated Pods:          (1 in total)
  Namespace                   Name                          CPU Requests  CPU Limits  Memory Requests  Memory Limits  Age
  ---------                   ----                          ------------  ----------  ---------------  -------------  ---
  ai                          ollama-7ccfbb9764-bbbbc       0 (0%)        0 (0%)      8Gi (13%)        8Gi (13%)      2m
Allocated resources:
  (Total limits may be over 100 percent, i.e., overcommitted.)
  Resource           Requests    Limits
  --------           --------    ------
  cpu                100m (0%)   0 (0%)
  nvidia.com/gpu     1           1
Events:              <none>
"""

DAEMON_SET = """\
Name:           nvidia-device-plugin
Namespace:      nvidia
Selector:       app.kubernetes.io/name=nvidia-device-plugin
Node-Selector:  nvidia.com/gpu.present=true
Labels:         app.kubernetes.io/name=nvidia-device-plugin
Annotations:    deprecated.daemonset.template.generation: 1
Desired Number of Nodes Scheduled: 0
Current Number of Nodes Scheduled: 0
Number of Nodes Scheduled with Up-to-date Pods: 0
Number of Nodes Scheduled with Available Pods: 0
Number of Nodes Misscheduled: 0
Pods Status:  0 Running / 0 Waiting / 0 Succeeded / 0 Failed
Pod Template:
  Labels:           app.kubernetes.io/name=nvidia-device-plugin
  Service Account:  nvidia-device-plugin
  Containers:
   nvidia-device-plugin-ctr:
    Image:      nvcr.io/nvidia/k8s-device-plugin:v0.20.0
    Port:       <none>
    Host Port:  <none>
    Command:
      nvidia-device-plugin
    Environment:
      NVIDIA_MIG_MONITOR_DEVICES:  all
    Mounts:
      /var/lib/kubelet/device-plugins from device-plugin (rw)
  Volumes:
   device-plugin:
    Type:          HostPath (bare host directory volume)
    Path:          /var/lib/kubelet/device-plugins
  Node-Selectors:  nvidia.com/gpu.present=true
  Tolerations:     nvidia.com/gpu:NoSchedule op=Exists
Events:            <none>
"""

CLAIM = """\
Name:         ollama-gpu
Namespace:    ai
Labels:       <none>
Annotations:  <none>
API Version:  resource.k8s.io/v1
Kind:         ResourceClaim
Metadata:
  Creation Timestamp:  2026-11-27T10:00:00Z
  Resource Version:    4711
  UID:                 5ab3
Spec:
  Devices:
    Requests:
      Exactly:
        Allocation Mode:    ExactCount
        Count:              1
        Device Class Name:  gpu.nvidia.com
      Name:                 gpu
      Exactly:
        Allocation Mode:    ExactCount
        Count:              2
        Device Class Name:  mig.nvidia.com
      Name:                 slices
Status:
  Allocation:
    Devices:
      Results:
        Device:   gpu-0
        Driver:   gpu.nvidia.com
        Pool:     gpu-1
        Request:  gpu
  Reserved For:
    Name:      ollama-7ccfbb9764-bbbbc
    Resource:  pods
    UID:       77
Events:        <none>
"""

PODS = """\
NAMESPACE     NAME                         READY   STATUS             RESTARTS        AGE
ai            ollama-7ccfbb9764-bbbbc      0/1     Pending            0               5m
nvidia        nvidia-device-plugin-x7k2p   0/1     CrashLoopBackOff   12 (3m1s ago)   40m
kube-system   coredns-5d78c9869d-aaaaa     1/1     Running            0               3d
"""

NODES_WIDE = """\
NAME    STATUS                     ROLES           AGE   VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE          KERNEL-VERSION   CONTAINER-RUNTIME
cp-1    Ready                      control-plane   10d   v1.36.3   10.0.0.10     <none>        Talos (v1.13.2)   6.18.1-talos     containerd://2.2.9
gpu-1   NotReady                   <none>          10d   v1.36.3   10.0.0.11     <none>        Talos (v1.13.2)   6.18.1-talos     containerd://2.2.9
"""

DAEMON_SETS = """\
NAMESPACE   NAME                   DESIRED   CURRENT   READY   UP-TO-DATE   AVAILABLE   NODE SELECTOR                 AGE
nvidia      nvidia-device-plugin   3         3         1       3            1           nvidia.com/gpu.present=true   10d
"""

EVENTS = """\
LAST SEEN   TYPE      REASON             OBJECT                            MESSAGE
2m          Normal    Scheduled          pod/ollama-7ccfbb9764-bbbbc       Successfully assigned ai/ollama-7ccfbb9764-bbbbc to gpu-1
9s          Warning   FailedCreatePodSandBox   pod/ollama-7ccfbb9764-bbbbc   Failed to create pod sandbox: rpc error: code = Unknown desc = failed to create containerd task: failed to get sandbox runtime: no runtime for "nvidia" is configured
"""

RUNTIME_CLASSES = """\
NAME     HANDLER   AGE
nvidia   nvidia    10d
"""
