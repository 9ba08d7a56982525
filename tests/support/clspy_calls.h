/*
 * Every core function of OpenCL 1.0 to 3.0 that the headers declare, for clspy.c, which
 * includes this table three times.
 *
 *   STATUS(name, code, params, args)         returns a status
 *   INFO(...)                                the same, and asks for param_name
 *   RETAIN(name, KIND, type), RELEASE(...)
 *   CREATE(type, name, KIND, code, ...)      returns an object, the status by errcode_ret
 *   ENQUEUE(name, code, ...)                 on `queue`, may make `event`
 *   READ(...)                                the same, into `size` bytes at `ptr`
 *   MAP(name, code, ...)                     the same, returns a pointer
 *   MAPPED(name, code, ...)                  ends a map
 *   ADDRESS(name, ...)                       returns a pointer or NULL
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
OWN(clCreateSubDevices)
RETAIN(clRetainDevice, DEVICE, cl_device_id)
RELEASE(clReleaseDevice, DEVICE, cl_device_id)
STATUS(clSetDefaultDeviceCommandQueue, CL_OUT_OF_RESOURCES,
       (cl_context context, cl_device_id device, cl_command_queue queue),
       (context, device, queue))
STATUS(clGetDeviceAndHostTimer, CL_OUT_OF_RESOURCES,
       (cl_device_id device, cl_ulong *device_time, cl_ulong *host_time),
       (device, device_time, host_time))
STATUS(clGetHostTimer, CL_OUT_OF_RESOURCES, (cl_device_id device, cl_ulong *host_time),
       (device, host_time))

/* Contexts. */
CREATE(cl_context, clCreateContext, CONTEXT, CL_DEVICE_NOT_AVAILABLE,
       (const cl_context_properties *properties, cl_uint num_devices,
        const cl_device_id *devices,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
        cl_int *errcode_ret),
       (properties, num_devices, devices, notify, user, errcode_ret))
CREATE(cl_context, clCreateContextFromType, CONTEXT, CL_DEVICE_NOT_AVAILABLE,
       (const cl_context_properties *properties, cl_device_type type,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
        cl_int *errcode_ret),
       (properties, type, notify, user, errcode_ret))
RETAIN(clRetainContext, CONTEXT, cl_context)
RELEASE(clReleaseContext, CONTEXT, cl_context)
INFO(clGetContextInfo, CL_OUT_OF_HOST_MEMORY, (cl_context context, QUERY_PARAMS),
     (context, QUERY))
STATUS(clSetContextDestructorCallback, CL_OUT_OF_HOST_MEMORY,
       (cl_context context, void(CL_CALLBACK *notify)(cl_context, void *), void *user),
       (context, notify, user))

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
STATUS(clSetCommandQueueProperty, CL_INVALID_OPERATION,
       (cl_command_queue queue, cl_command_queue_properties properties, cl_bool enable,
        cl_command_queue_properties *old),
       (queue, properties, enable, old))
STATUS(clFlush, CL_OUT_OF_RESOURCES, (cl_command_queue queue), (queue))
STATUS(clFinish, CL_OUT_OF_RESOURCES, (cl_command_queue queue), (queue))

/* Memory. */
CREATE(cl_mem, clCreateBuffer, MEM, CL_MEM_OBJECT_ALLOCATION_FAILURE,
       (cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
        cl_int *errcode_ret),
       (context, flags, size, host_ptr, errcode_ret))
CREATE(cl_mem, clCreateBufferWithProperties, MEM, CL_MEM_OBJECT_ALLOCATION_FAILURE,
       (cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
        size_t size, void *host_ptr, cl_int *errcode_ret),
       (context, properties, flags, size, host_ptr, errcode_ret))
CREATE(cl_mem, clCreateSubBuffer, MEM, CL_MISALIGNED_SUB_BUFFER_OFFSET,
       (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
        cl_int *errcode_ret),
       (buffer, flags, type, info, errcode_ret))
CREATE(cl_mem, clCreateImage, MEM, CL_MEM_OBJECT_ALLOCATION_FAILURE,
       (cl_context context, cl_mem_flags flags, const cl_image_format *format,
        const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret),
       (context, flags, format, desc, host_ptr, errcode_ret))
CREATE(cl_mem, clCreateImageWithProperties, MEM, CL_MEM_OBJECT_ALLOCATION_FAILURE,
       (cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
        const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
        cl_int *errcode_ret),
       (context, properties, flags, format, desc, host_ptr, errcode_ret))
CREATE(cl_mem, clCreateImage2D, MEM, CL_MEM_OBJECT_ALLOCATION_FAILURE,
       (cl_context context, cl_mem_flags flags, const cl_image_format *format,
        size_t width, size_t height, size_t row_pitch, void *host_ptr,
        cl_int *errcode_ret),
       (context, flags, format, width, height, row_pitch, host_ptr, errcode_ret))
CREATE(cl_mem, clCreateImage3D, MEM, CL_MEM_OBJECT_ALLOCATION_FAILURE,
       (cl_context context, cl_mem_flags flags, const cl_image_format *format,
        size_t width, size_t height, size_t depth, size_t row_pitch, size_t slice_pitch,
        void *host_ptr, cl_int *errcode_ret),
       (context, flags, format, width, height, depth, row_pitch, slice_pitch, host_ptr,
        errcode_ret))
CREATE(cl_mem, clCreatePipe, MEM, CL_MEM_OBJECT_ALLOCATION_FAILURE,
       (cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
        const cl_pipe_properties *properties, cl_int *errcode_ret),
       (context, flags, packet_size, max_packets, properties, errcode_ret))
RETAIN(clRetainMemObject, MEM, cl_mem)
RELEASE(clReleaseMemObject, MEM, cl_mem)
STATUS(clGetSupportedImageFormats, CL_OUT_OF_HOST_MEMORY,
       (cl_context context, cl_mem_flags flags, cl_mem_object_type type,
        cl_uint num_entries, cl_image_format *formats, cl_uint *num),
       (context, flags, type, num_entries, formats, num))
INFO(clGetMemObjectInfo, CL_OUT_OF_HOST_MEMORY, (cl_mem mem, QUERY_PARAMS), (mem, QUERY))
INFO(clGetImageInfo, CL_OUT_OF_HOST_MEMORY, (cl_mem mem, QUERY_PARAMS), (mem, QUERY))
INFO(clGetPipeInfo, CL_OUT_OF_HOST_MEMORY, (cl_mem mem, QUERY_PARAMS), (mem, QUERY))
STATUS(clSetMemObjectDestructorCallback, CL_OUT_OF_HOST_MEMORY,
       (cl_mem mem, void(CL_CALLBACK *notify)(cl_mem, void *), void *user),
       (mem, notify, user))
OWN(clSVMAlloc)
OWN(clSVMFree)
CREATE(cl_sampler, clCreateSampler, SAMPLER, CL_OUT_OF_HOST_MEMORY,
       (cl_context context, cl_bool normalized, cl_addressing_mode addressing,
        cl_filter_mode filter, cl_int *errcode_ret),
       (context, normalized, addressing, filter, errcode_ret))
CREATE(cl_sampler, clCreateSamplerWithProperties, SAMPLER, CL_OUT_OF_HOST_MEMORY,
       (cl_context context, const cl_sampler_properties *properties, cl_int *errcode_ret),
       (context, properties, errcode_ret))
RETAIN(clRetainSampler, SAMPLER, cl_sampler)
RELEASE(clReleaseSampler, SAMPLER, cl_sampler)
INFO(clGetSamplerInfo, CL_OUT_OF_HOST_MEMORY, (cl_sampler sampler, QUERY_PARAMS),
     (sampler, QUERY))

/* Programs. */
OWN(clCreateProgramWithSource)
CREATE(cl_program, clCreateProgramWithBinary, PROGRAM, CL_INVALID_BINARY,
       (cl_context context, cl_uint num_devices, const cl_device_id *devices,
        const size_t *lengths, const unsigned char **binaries, cl_int *statuses,
        cl_int *errcode_ret),
       (context, num_devices, devices, lengths, binaries, statuses, errcode_ret))
CREATE(cl_program, clCreateProgramWithBuiltInKernels, PROGRAM, CL_OUT_OF_RESOURCES,
       (cl_context context, cl_uint num_devices, const cl_device_id *devices,
        const char *names, cl_int *errcode_ret),
       (context, num_devices, devices, names, errcode_ret))
CREATE(cl_program, clCreateProgramWithIL, PROGRAM, CL_OUT_OF_HOST_MEMORY,
       (cl_context context, const void *il, size_t length, cl_int *errcode_ret),
       (context, il, length, errcode_ret))
CREATE(cl_program, clLinkProgram, PROGRAM, CL_LINK_PROGRAM_FAILURE,
       (cl_context context, cl_uint num_devices, const cl_device_id *devices,
        const char *options, cl_uint num_programs, const cl_program *programs,
        void(CL_CALLBACK *notify)(cl_program, void *), void *user, cl_int *errcode_ret),
       (context, num_devices, devices, options, num_programs, programs, notify, user,
        errcode_ret))
RETAIN(clRetainProgram, PROGRAM, cl_program)
RELEASE(clReleaseProgram, PROGRAM, cl_program)
OWN(clBuildProgram)
STATUS(clCompileProgram, CL_COMPILE_PROGRAM_FAILURE,
       (cl_program program, cl_uint num_devices, const cl_device_id *devices,
        const char *options, cl_uint num_headers, const cl_program *headers,
        const char **names, void(CL_CALLBACK *notify)(cl_program, void *), void *user),
       (program, num_devices, devices, options, num_headers, headers, names, notify,
        user))
STATUS(clSetProgramReleaseCallback, CL_OUT_OF_HOST_MEMORY,
       (cl_program program, void(CL_CALLBACK *notify)(cl_program, void *), void *user),
       (program, notify, user))
STATUS(clSetProgramSpecializationConstant, CL_INVALID_SPEC_ID,
       (cl_program program, cl_uint id, size_t size, const void *value),
       (program, id, size, value))
STATUS(clUnloadPlatformCompiler, CL_INVALID_PLATFORM, (cl_platform_id platform),
       (platform))
STATUS(clUnloadCompiler, CL_OUT_OF_RESOURCES, (void), ())
INFO(clGetProgramInfo, CL_OUT_OF_HOST_MEMORY, (cl_program program, QUERY_PARAMS),
     (program, QUERY))
INFO(clGetProgramBuildInfo, CL_OUT_OF_RESOURCES,
     (cl_program program, cl_device_id device, QUERY_PARAMS), (program, device, QUERY))

/* Kernels. */
CREATE(cl_kernel, clCreateKernel, KERNEL, CL_INVALID_KERNEL_NAME,
       (cl_program program, const char *name, cl_int *errcode_ret),
       (program, name, errcode_ret))
OWN(clCreateKernelsInProgram)
CREATE(cl_kernel, clCloneKernel, KERNEL, CL_OUT_OF_HOST_MEMORY,
       (cl_kernel source, cl_int *errcode_ret), (source, errcode_ret))
RETAIN(clRetainKernel, KERNEL, cl_kernel)
RELEASE(clReleaseKernel, KERNEL, cl_kernel)
STATUS(clSetKernelArg, CL_OUT_OF_HOST_MEMORY,
       (cl_kernel kernel, cl_uint index, size_t size, const void *value),
       (kernel, index, size, value))
STATUS(clSetKernelArgSVMPointer, CL_OUT_OF_HOST_MEMORY,
       (cl_kernel kernel, cl_uint index, const void *value), (kernel, index, value))
STATUS(clSetKernelExecInfo, CL_OUT_OF_HOST_MEMORY,
       (cl_kernel kernel, cl_kernel_exec_info what, size_t size, const void *value),
       (kernel, what, size, value))
INFO(clGetKernelInfo, CL_OUT_OF_HOST_MEMORY, (cl_kernel kernel, QUERY_PARAMS),
     (kernel, QUERY))
INFO(clGetKernelArgInfo, CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
     (cl_kernel kernel, cl_uint index, QUERY_PARAMS), (kernel, index, QUERY))
INFO(clGetKernelWorkGroupInfo, CL_OUT_OF_RESOURCES,
     (cl_kernel kernel, cl_device_id device, QUERY_PARAMS), (kernel, device, QUERY))
STATUS(clGetKernelSubGroupInfo, CL_OUT_OF_RESOURCES,
       (cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info what,
        size_t input_size, const void *input, size_t size, void *value, size_t *size_ret),
       (kernel, device, what, input_size, input, size, value, size_ret))

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
ENQUEUE(clEnqueueReadBufferRect, CL_OUT_OF_RESOURCES,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *origin,
         const size_t *host_origin, const size_t *region, size_t row_pitch,
         size_t slice_pitch, size_t host_row_pitch, size_t host_slice_pitch, void *ptr,
         WAIT_PARAMS),
        (queue, buffer, blocking, origin, host_origin, region, row_pitch, slice_pitch,
         host_row_pitch, host_slice_pitch, ptr, WAIT))
ENQUEUE(clEnqueueWriteBuffer, CL_OUT_OF_RESOURCES,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
         size_t size, const void *ptr, WAIT_PARAMS),
        (queue, buffer, blocking, offset, size, ptr, WAIT))
ENQUEUE(clEnqueueWriteBufferRect, CL_OUT_OF_RESOURCES,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *origin,
         const size_t *host_origin, const size_t *region, size_t row_pitch,
         size_t slice_pitch, size_t host_row_pitch, size_t host_slice_pitch,
         const void *ptr, WAIT_PARAMS),
        (queue, buffer, blocking, origin, host_origin, region, row_pitch, slice_pitch,
         host_row_pitch, host_slice_pitch, ptr, WAIT))
ENQUEUE(clEnqueueFillBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
         size_t offset, size_t size, WAIT_PARAMS),
        (queue, buffer, pattern, pattern_size, offset, size, WAIT))
ENQUEUE(clEnqueueCopyBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
         size_t to_offset, size_t size, WAIT_PARAMS),
        (queue, from, to, from_offset, to_offset, size, WAIT))
ENQUEUE(clEnqueueCopyBufferRect, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
         const size_t *to_origin, const size_t *region, size_t from_row_pitch,
         size_t from_slice_pitch, size_t to_row_pitch, size_t to_slice_pitch,
         WAIT_PARAMS),
        (queue, from, to, from_origin, to_origin, region, from_row_pitch,
         from_slice_pitch, to_row_pitch, to_slice_pitch, WAIT))
ENQUEUE(clEnqueueReadImage, CL_OUT_OF_RESOURCES,
        (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
         const size_t *region, size_t row_pitch, size_t slice_pitch, void *ptr,
         WAIT_PARAMS),
        (queue, image, blocking, origin, region, row_pitch, slice_pitch, ptr, WAIT))
ENQUEUE(clEnqueueWriteImage, CL_OUT_OF_RESOURCES,
        (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
         const size_t *region, size_t row_pitch, size_t slice_pitch, const void *ptr,
         WAIT_PARAMS),
        (queue, image, blocking, origin, region, row_pitch, slice_pitch, ptr, WAIT))
ENQUEUE(clEnqueueFillImage, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        (cl_command_queue queue, cl_mem image, const void *color, const size_t *origin,
         const size_t *region, WAIT_PARAMS),
        (queue, image, color, origin, region, WAIT))
ENQUEUE(clEnqueueCopyImage, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
         const size_t *to_origin, const size_t *region, WAIT_PARAMS),
        (queue, from, to, from_origin, to_origin, region, WAIT))
ENQUEUE(clEnqueueCopyImageToBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *origin,
         const size_t *region, size_t offset, WAIT_PARAMS),
        (queue, from, to, origin, region, offset, WAIT))
ENQUEUE(clEnqueueCopyBufferToImage, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        (cl_command_queue queue, cl_mem from, cl_mem to, size_t offset,
         const size_t *origin, const size_t *region, WAIT_PARAMS),
        (queue, from, to, offset, origin, region, WAIT))
MAP(clEnqueueMapBuffer, CL_MAP_FAILURE,
    (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
     size_t offset, size_t size, WAIT_PARAMS, cl_int *errcode_ret),
    (queue, buffer, blocking, flags, offset, size, WAIT, errcode_ret))
MAP(clEnqueueMapImage, CL_MAP_FAILURE,
    (cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
     const size_t *origin, const size_t *region, size_t *row_pitch, size_t *slice_pitch,
     WAIT_PARAMS, cl_int *errcode_ret),
    (queue, image, blocking, flags, origin, region, row_pitch, slice_pitch, WAIT,
     errcode_ret))
MAPPED(clEnqueueUnmapMemObject, CL_OUT_OF_RESOURCES,
       (cl_command_queue queue, cl_mem mem, void *ptr, WAIT_PARAMS),
       (queue, mem, ptr, WAIT))
ENQUEUE(clEnqueueMigrateMemObjects, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        (cl_command_queue queue, cl_uint num, const cl_mem *mems,
         cl_mem_migration_flags flags, WAIT_PARAMS),
        (queue, num, mems, flags, WAIT))
ENQUEUE(clEnqueueNDRangeKernel, CL_OUT_OF_RESOURCES,
        (cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
         const size_t *global, const size_t *local, WAIT_PARAMS),
        (queue, kernel, dims, offset, global, local, WAIT))
ENQUEUE(clEnqueueTask, CL_OUT_OF_RESOURCES,
        (cl_command_queue queue, cl_kernel kernel, WAIT_PARAMS), (queue, kernel, WAIT))
ENQUEUE(clEnqueueNativeKernel, CL_INVALID_OPERATION,
        (cl_command_queue queue, void(CL_CALLBACK *function)(void *), void *data,
         size_t size, cl_uint num_mems, const cl_mem *mems, const void **places,
         WAIT_PARAMS),
        (queue, function, data, size, num_mems, mems, places, WAIT))
ENQUEUE(clEnqueueMarkerWithWaitList, CL_OUT_OF_HOST_MEMORY,
        (cl_command_queue queue, WAIT_PARAMS), (queue, WAIT))
ENQUEUE(clEnqueueBarrierWithWaitList, CL_OUT_OF_HOST_MEMORY,
        (cl_command_queue queue, WAIT_PARAMS), (queue, WAIT))
ENQUEUE(clEnqueueMarker, CL_OUT_OF_HOST_MEMORY, (cl_command_queue queue, cl_event *event),
        (queue, event))
STATUS(clEnqueueWaitForEvents, CL_OUT_OF_HOST_MEMORY,
       (cl_command_queue queue, cl_uint num, const cl_event *events),
       (queue, num, events))
STATUS(clEnqueueBarrier, CL_OUT_OF_HOST_MEMORY, (cl_command_queue queue), (queue))
ENQUEUE(clEnqueueSVMFree, CL_OUT_OF_HOST_MEMORY,
        (cl_command_queue queue, cl_uint num, void **pointers,
         void(CL_CALLBACK *function)(cl_command_queue, cl_uint, void **, void *),
         void *user, WAIT_PARAMS),
        (queue, num, pointers, function, user, WAIT))
ENQUEUE(clEnqueueSVMMemcpy, CL_OUT_OF_RESOURCES,
        (cl_command_queue queue, cl_bool blocking, void *to, const void *from,
         size_t size, WAIT_PARAMS),
        (queue, blocking, to, from, size, WAIT))
ENQUEUE(clEnqueueSVMMemFill, CL_OUT_OF_RESOURCES,
        (cl_command_queue queue, void *to, const void *pattern, size_t pattern_size,
         size_t size, WAIT_PARAMS),
        (queue, to, pattern, pattern_size, size, WAIT))
ENQUEUE(clEnqueueSVMMap, CL_OUT_OF_RESOURCES,
        (cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *ptr,
         size_t size, WAIT_PARAMS),
        (queue, blocking, flags, ptr, size, WAIT))
ENQUEUE(clEnqueueSVMUnmap, CL_OUT_OF_RESOURCES,
        (cl_command_queue queue, void *ptr, WAIT_PARAMS), (queue, ptr, WAIT))
ENQUEUE(clEnqueueSVMMigrateMem, CL_OUT_OF_RESOURCES,
        (cl_command_queue queue, cl_uint num, const void **pointers, const size_t *sizes,
         cl_mem_migration_flags flags, WAIT_PARAMS),
        (queue, num, pointers, sizes, flags, WAIT))

/* Addresses. What is found by them is the driver's and passes unseen. */
ADDRESS(clGetExtensionFunctionAddressForPlatform,
        (cl_platform_id platform, const char *name), (platform, name))
ADDRESS(clGetExtensionFunctionAddress, (const char *name), (name))

#undef QUERY_PARAMS
#undef QUERY
#undef WAIT_PARAMS
#undef WAIT
