/*
 * The functions of OpenCL that the library, its command and these tests call, for
 * clspy.c, which includes this table three times; test_clspy compares it with what the
 * library calls. All others go to the driver unseen.
 *
 *   STATUS(name, code, params, args)         returns a status
 *   INFO(...)                                the same, and asks for param_name
 *   RETAIN(name, KIND, type), RELEASE(...)
 *   CREATE(type, name, KIND, code, ...)      returns an object, the status by errcode_ret
 *   ENQUEUE(name, code, ...)                 on `queue`, may make `event`
 *   READ(...)                                the same, into `size` bytes at `ptr`
 *   MAP(name, code, ...)                     the same, returns a pointer
 *   MAPPED(name, code, ...)                  ends a map
 *   OWN(name)                                written out in clspy.c
 *
 * `code` is what the call returns when it is made to fail.
 */

#define QUERY_PARAMS                                                                     \
    cl_uint param_name, size_t param_value_size, void *param_value,                      \
        size_t *param_value_size_ret
#define QUERY       param_name, param_value_size, param_value, param_value_size_ret
#define WAIT_PARAMS cl_uint num_wait, const cl_event *wait, cl_event *event
#define WAIT        num_wait, wait, event

/* Platforms and devices. */
STATUS(clGetPlatformIDs, CL_OUT_OF_HOST_MEMORY,
       (cl_uint num_entries, cl_platform_id *platforms, cl_uint *num),
       (num_entries, platforms, num))
INFO(clGetPlatformInfo, CL_OUT_OF_HOST_MEMORY, (cl_platform_id platform, QUERY_PARAMS),
     (platform, QUERY))
STATUS(clGetDeviceIDs, CL_OUT_OF_RESOURCES,
       (cl_platform_id platform, cl_device_type type, cl_uint num_entries,
        cl_device_id *devices, cl_uint *num),
       (platform, type, num_entries, devices, num))
INFO(clGetDeviceInfo, CL_OUT_OF_RESOURCES, (cl_device_id device, QUERY_PARAMS),
     (device, QUERY))
RETAIN(clRetainDevice, DEVICE, cl_device_id)
RELEASE(clReleaseDevice, DEVICE, cl_device_id)

/* Contexts. */
CREATE(cl_context, clCreateContext, CONTEXT, CL_DEVICE_NOT_AVAILABLE,
       (const cl_context_properties *properties, cl_uint num_devices,
        const cl_device_id *devices,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
        cl_int *errcode_ret),
       (properties, num_devices, devices, notify, user, errcode_ret))
RETAIN(clRetainContext, CONTEXT, cl_context)
RELEASE(clReleaseContext, CONTEXT, cl_context)
INFO(clGetContextInfo, CL_OUT_OF_HOST_MEMORY, (cl_context context, QUERY_PARAMS),
     (context, QUERY))

/* Queues. */
CREATE(cl_command_queue, clCreateCommandQueue, QUEUE, CL_OUT_OF_RESOURCES,
       (cl_context context, cl_device_id device, cl_command_queue_properties properties,
        cl_int *errcode_ret),
       (context, device, properties, errcode_ret))
CREATE(cl_command_queue, clCreateCommandQueueWithProperties, QUEUE, CL_OUT_OF_RESOURCES,
       (cl_context context, cl_device_id device, const cl_queue_properties *properties,
        cl_int *errcode_ret),
       (context, device, properties, errcode_ret))
RETAIN(clRetainCommandQueue, QUEUE, cl_command_queue)
RELEASE(clReleaseCommandQueue, QUEUE, cl_command_queue)
INFO(clGetCommandQueueInfo, CL_OUT_OF_HOST_MEMORY, (cl_command_queue queue, QUERY_PARAMS),
     (queue, QUERY))
STATUS(clFlush, CL_OUT_OF_RESOURCES, (cl_command_queue queue), (queue))
STATUS(clFinish, CL_OUT_OF_RESOURCES, (cl_command_queue queue), (queue))

/* Memory. */
CREATE(cl_mem, clCreateBuffer, MEM, CL_MEM_OBJECT_ALLOCATION_FAILURE,
       (cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
        cl_int *errcode_ret),
       (context, flags, size, host_ptr, errcode_ret))
CREATE(cl_mem, clCreateSubBuffer, MEM, CL_MISALIGNED_SUB_BUFFER_OFFSET,
       (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
        cl_int *errcode_ret),
       (buffer, flags, type, info, errcode_ret))
RETAIN(clRetainMemObject, MEM, cl_mem)
RELEASE(clReleaseMemObject, MEM, cl_mem)
INFO(clGetMemObjectInfo, CL_OUT_OF_HOST_MEMORY, (cl_mem mem, QUERY_PARAMS), (mem, QUERY))

/* Programs. */
OWN(clCreateProgramWithSource)
CREATE(cl_program, clCreateProgramWithBinary, PROGRAM, CL_INVALID_BINARY,
       (cl_context context, cl_uint num_devices, const cl_device_id *devices,
        const size_t *lengths, const unsigned char **binaries, cl_int *statuses,
        cl_int *errcode_ret),
       (context, num_devices, devices, lengths, binaries, statuses, errcode_ret))
RETAIN(clRetainProgram, PROGRAM, cl_program)
RELEASE(clReleaseProgram, PROGRAM, cl_program)
OWN(clBuildProgram)
INFO(clGetProgramInfo, CL_OUT_OF_HOST_MEMORY, (cl_program program, QUERY_PARAMS),
     (program, QUERY))
INFO(clGetProgramBuildInfo, CL_OUT_OF_RESOURCES,
     (cl_program program, cl_device_id device, QUERY_PARAMS), (program, device, QUERY))

/* Kernels. */
CREATE(cl_kernel, clCreateKernel, KERNEL, CL_INVALID_KERNEL_NAME,
       (cl_program program, const char *name, cl_int *errcode_ret),
       (program, name, errcode_ret))
RETAIN(clRetainKernel, KERNEL, cl_kernel)
RELEASE(clReleaseKernel, KERNEL, cl_kernel)
STATUS(clSetKernelArg, CL_OUT_OF_HOST_MEMORY,
       (cl_kernel kernel, cl_uint index, size_t size, const void *value),
       (kernel, index, size, value))
INFO(clGetKernelInfo, CL_OUT_OF_HOST_MEMORY, (cl_kernel kernel, QUERY_PARAMS),
     (kernel, QUERY))
INFO(clGetKernelWorkGroupInfo, CL_OUT_OF_RESOURCES,
     (cl_kernel kernel, cl_device_id device, QUERY_PARAMS), (kernel, device, QUERY))

/* Events. */
STATUS(clWaitForEvents, CL_OUT_OF_RESOURCES, (cl_uint num, const cl_event *events),
       (num, events))
INFO(clGetEventInfo, CL_OUT_OF_RESOURCES, (cl_event event, QUERY_PARAMS), (event, QUERY))
INFO(clGetEventProfilingInfo, CL_PROFILING_INFO_NOT_AVAILABLE,
     (cl_event event, QUERY_PARAMS), (event, QUERY))
CREATE(cl_event, clCreateUserEvent, EVENT, CL_OUT_OF_RESOURCES,
       (cl_context context, cl_int *errcode_ret), (context, errcode_ret))
RETAIN(clRetainEvent, EVENT, cl_event)
RELEASE(clReleaseEvent, EVENT, cl_event)
STATUS(clSetUserEventStatus, CL_OUT_OF_RESOURCES, (cl_event event, cl_int execution),
       (event, execution))
STATUS(clSetEventCallback, CL_OUT_OF_HOST_MEMORY,
       (cl_event event, cl_int type, void(CL_CALLBACK *notify)(cl_event, cl_int, void *),
        void *user),
       (event, type, notify, user))

/* Commands. */
READ(clEnqueueReadBuffer, CL_OUT_OF_RESOURCES,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
      void *ptr, WAIT_PARAMS),
     (queue, buffer, blocking, offset, size, ptr, WAIT))
ENQUEUE(clEnqueueWriteBuffer, CL_OUT_OF_RESOURCES,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
         size_t size, const void *ptr, WAIT_PARAMS),
        (queue, buffer, blocking, offset, size, ptr, WAIT))
ENQUEUE(clEnqueueFillBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
         size_t offset, size_t size, WAIT_PARAMS),
        (queue, buffer, pattern, pattern_size, offset, size, WAIT))
ENQUEUE(clEnqueueCopyBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
         size_t to_offset, size_t size, WAIT_PARAMS),
        (queue, from, to, from_offset, to_offset, size, WAIT))
MAP(clEnqueueMapBuffer, CL_MAP_FAILURE,
    (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
     size_t offset, size_t size, WAIT_PARAMS, cl_int *errcode_ret),
    (queue, buffer, blocking, flags, offset, size, WAIT, errcode_ret))
MAPPED(clEnqueueUnmapMemObject, CL_OUT_OF_RESOURCES,
       (cl_command_queue queue, cl_mem mem, void *ptr, WAIT_PARAMS),
       (queue, mem, ptr, WAIT))
ENQUEUE(clEnqueueNDRangeKernel, CL_OUT_OF_RESOURCES,
        (cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
         const size_t *global, const size_t *local, WAIT_PARAMS),
        (queue, kernel, dims, offset, global, local, WAIT))
ENQUEUE(clEnqueueMarkerWithWaitList, CL_OUT_OF_HOST_MEMORY,
        (cl_command_queue queue, WAIT_PARAMS), (queue, WAIT))
ENQUEUE(clEnqueueBarrierWithWaitList, CL_OUT_OF_HOST_MEMORY,
        (cl_command_queue queue, WAIT_PARAMS), (queue, WAIT))

#undef QUERY_PARAMS
#undef QUERY
#undef WAIT_PARAMS
#undef WAIT
